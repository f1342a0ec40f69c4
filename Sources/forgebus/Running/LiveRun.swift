import ForgeBusProtocol
import Synchronization

/// Draws a run's progress on a terminal.
///
/// One lock guards all state and the drawing, because changes arrive on the client's thread while a task updates the
/// time.
final class LiveRun: Sendable {
    private struct State {
        var rows = RunRows()
        /// The text of the current row.
        var drawn = ""
        var isOver = false
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let hasColours = Terminal.hasColours

    /// The names of the ended actions; their rows stay on the terminal.
    var ended: Set<String> { state.withLock { $0.rows.ended } }

    /// Shows a change of the run; the lines of `advice` are printed above the action's row and stay on the terminal.
    func show(_ change: RunProgress.Change, _ advice: [String] = []) {
        let now = elapsed
        state.withLock { state in
            for line in advice {
                Terminal.replaceRow(with: line)
                state.drawn = ""
            }
            if let row = state.rows.add(change, at: now) {
                Terminal.replaceRow(with: text(row, at: now))
                state.drawn = ""
            }
            draw(&state, at: now)
        }
    }

    /// Updates the time in the row until the task is cancelled.
    func keepDrawing() async {
        // The sleep throws after the task is cancelled, and then the loop ends.
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            let now = elapsed
            state.withLock { draw(&$0, at: now) }
        }
    }

    /// Stops drawing, and removes the row of an action that has not ended.
    ///
    /// The next output of the command shows the run's state.
    func end() {
        state.withLock { state in
            if !state.drawn.isEmpty { Terminal.removeRow() }
            state.isOver = true
        }
    }

    private func draw(_ state: inout State, at now: Duration) {
        guard !state.isOver, let row = state.rows.current else { return }
        let text = text(row, at: now)
        guard text != state.drawn else { return }
        Terminal.redraw(text)
        state.drawn = text
    }

    private func text(_ row: RunRows.Row, at now: Duration) -> String {
        row.drawn(at: now, columns: Terminal.columns, hasColours: hasColours)
    }

    private var elapsed: Duration { start.duration(to: .now) }
}
