import TestSupport
import Testing

@Suite("Tests")
struct ComparedProseTests {
    @Test("compare no sentence with prose: they assert codes, limits, positions and keys")
    func none() throws {
        for path in try Repository.files(below: "Tests", endingWith: ".swift") {
            let lines = ComparedProse(in: try Repository.text(of: "Tests/\(path)")).lines
            if !lines.isEmpty { Issue.record("Tests/\(path), lines \(lines)") }
        }
    }

    @Test(
        "are read right: a comparison with four words is found, however it is written",
        arguments: [
            #"#expect(error?.message == "The file is gone.")"#,
            "#expect(\n    error?.next\n        == \"Make room, then \"\n        + \"try again.\"\n)",
            "#expect(error.description == \"\"\"\n    The file\n    is gone.\n    \"\"\")",
            #"let found = errors.contains { $0.message.hasSuffix("of \(names.joined(separator: ", ")) is missing") }"#,
            #"#expect(run.map(\.reason) == ["no disk", "The file is gone."])"#,
            #"if "The file is gone." == error.message {}"#,
            #"#expect(isFirst && message.contains("the file is gone"))"#,
        ]
    )
    func found(code: String) { #expect(ComparedProse(in: code).lines.count == 1) }

    @Test(
        "may compare sentences with each other, and with few words",
        arguments: [
            #"#expect(error?.message == other.message, "The file is gone.")"#,
            #"#expect(page.contains("The file is gone.") && error.next == other)"#,
            #"#expect(error?.message.contains("no disk") == true)"#,
            #"// #expect(error?.message == "The file is gone.")"#,
            #"#expect(try await reject(signal, reason: "not on a Friday") == .delivered)"#,
            #"#expect(await lines.next() == "the file is gone")"#,
        ]
    )
    func allowed(code: String) { #expect(ComparedProse(in: code).lines == []) }

    @Test("say where, by the line of the sentence")
    func line() {
        let code = "/* a\n b */\n#expect(\n    error == nil\n        || error.next == \"Make room for the file.\"\n)"
        #expect(ComparedProse(in: code).lines == [5])
    }
}
