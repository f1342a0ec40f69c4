import ForgeBusProtocol
import Synchronization

/// Draws a run on a terminal while it goes on.
///
/// All state is behind one lock, under which it is drawn, too: lines are told on the client's thread, and the time goes
/// on in a task.
final class LiveRun: Sendable {
    private struct State {
        var board = RunBoard()
        /// What stands in the row that is drawn anew.
        var drawn = ""
        var isOver = false
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let hasColours = Terminal.hasColours

    /// The actions whose lines stand already.
    var told: Set<String> { state.withLock { $0.board.told } }

    /// The run changed.
    func hear(_ change: RunProgress.Change) {
        let now = elapsed
        state.withLock { state in
            if let line = state.board.hear(change, at: now) {
                Terminal.redraw(row(line, at: now) + "\n")
                state.drawn = ""
            }
            draw(&state, at: now)
        }
    }

    /// Draws the time as it goes on, until the task is cancelled.
    func keepDrawing() async {
        // Whoever cancels this has seen the end.
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            let now = elapsed
            state.withLock { draw(&$0, at: now) }
        }
    }

    /// Takes the row of an action that has not ended away: what comes next says what became of it.
    func end() {
        state.withLock { state in
            if !state.drawn.isEmpty { Terminal.redraw("") }
            state.isOver = true
        }
    }

    private func draw(_ state: inout State, at now: Duration) {
        guard !state.isOver, let line = state.board.current else { return }
        let row = row(line, at: now)
        guard row != state.drawn else { return }
        Terminal.redraw(row)
        state.drawn = row
    }

    private func row(_ line: RunBoard.Line, at now: Duration) -> String {
        line.drawn(at: now, columns: Terminal.columns, hasColours: hasColours)
    }

    private var elapsed: Duration { start.duration(to: .now) }
}
