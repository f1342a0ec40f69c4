import ForgeBusProtocol
import Testing

@Suite("What an event happened to")
struct EventSubjectTests {
    @Test("begins with its kind and ends with its name")
    func beginsWithItsKind() {
        #expect(EventSubject.run("run-7", of: "feed.daily").text == "run.feed.daily.run-7")
        #expect(EventSubject.signal("deploy.42.approve").description == "signal.deploy.42.approve")
        #expect(EventSubject.monitor("stock").text == "monitor.stock")
    }

    @Test("has room for the longest names")
    func hasRoom() throws {
        let longest = try Name(String(repeating: "a.", count: 127) + "aa")
        let subject = EventSubject.run(longest, of: longest)
        #expect(try EventSubject(bytes: Array(subject.text.utf8)[...]) == subject)
    }

    @Test("is meant by patterns as a name is")
    func isMeant() {
        let subject = EventSubject.run("run-7", of: "feed")
        for pattern in [">", "run.>", "run.feed.*", "*.*.run-7"] as [NamePattern] { #expect(pattern.matches(subject)) }
        for pattern in ["run", "run.*", "signal.>", "run.feed.run"] as [NamePattern] {
            #expect(!pattern.matches(subject))
        }
    }
}

@Suite("What a worker confirms")
struct StateReportTests {
    @Test("of a run that ended is how it ended", arguments: RunResult.State.allCases)
    func isHowItEnded(state: RunResult.State) {
        #expect(StateReport.State(state).rawValue == state.rawValue)
    }
}

@Suite("The limits in WELCOME")
struct WelcomeTests {
    @Test("come in the order of their names, whatever the order of a dictionary")
    func comeInOrder() {
        let limits = Dictionary(uniqueKeysWithValues: (10..<60).map { ("limit_\($0)", $0) })
        let welcome = Welcome(worker: "w", state: .ready, durability: .memory, retention: .zero, limits: limits)
        let text = String(decoding: Answer(to: nil, .welcome(welcome)).frames.attributes, as: UTF8.self)
        let expected = (10..<60).map { "\"limit_\($0)\":\($0)" }.joined(separator: ",")
        #expect(text.contains("{\(expected)}"))
        #expect(text.contains("\"versions\":[1]"))
    }
}
