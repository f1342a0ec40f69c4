import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import Foundation

/// The command `forgebus audit`, with its arguments and options.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Checks or exports the audit: who decided, cancelled, redrove or changed what, and who was refused.",
        discussion: "Example: forgebus audit export --since 2026-03-01T00:00:00Z -o jsonl",
        subcommands: [Verify.self, Export.self]
    )
}

// Checking.
extension AuditCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the chain of the audit's entries, and names the first bad entry.",
            discussion: """
                Without --file, the worker checks the audit in its store. The command exits 65 if the chain is broken. \
                The head is the number and the hash of the last entry; this command and `forgebus audit export` show \
                it.

                Somebody who can write to the store or to the export can change entries and compute all hashes again. \
                To find this, note the head, keep it in another place, and give it to a later check with --head. In \
                the worker's audit, this check finds each changed entry up to the head, but not later ones. In an \
                export, whose last entry must be the head, it finds each changed entry.
                """
        )

        @Option(
            help: ArgumentHelp(
                """
                The head that you noted earlier: the number of an entry, a colon, and its hash in 64 hexadecimal \
                digits. A worker's chain must contain this entry; an export must end with this entry.
                """,
                valueName: "n:hash"
            ),
            transform: AuditCommand.head
        )
        var head: AuditHead?

        @Option(help: ArgumentHelp("Check this export, without a worker.", valueName: "file"))
        var file: String?

        @OptionGroup var client: ClientOptions

        func run() async throws {
            if let file { return try AuditCommand.check(file, head, client.output) }
            try await client.ask(.one) { bus, output throws(BusError) in
                let arguments: JSONObject = head.map { ["head": .string("\($0)")] } ?? [:]
                let details = try await bus.admin("store.audit.verify", arguments).details
                if details["sound"] == true {
                    output.show(AuditCommand.lines(details), details)
                    return .done
                }
                let flaw = details["flaw"]?.string ?? "The audit is damaged; the worker does not say where."
                output.show([flaw, Errors.advice(on: flaw, client)], details)
                return .badData
            }
        }
    }

    static func lines(_ details: JSONObject) -> [String] {
        ["The chain of the audit's entries is unbroken."]
            + details.entries.filter { $0.key != "sound" }.map {
                // The anchor is the entry before the first one.
                if let anchor = $0.key == "anchor" ? $0.value.string.flatMap({ AuditHead($0) }) : nil {
                    return "first entry".padded(to: 18) + "\(anchor.number + 1)"
                }
                return $0.key.padded(to: 18) + ($0.value.string ?? $0.value.description)
            }
    }

    static func head(_ word: String) throws -> AuditHead {
        guard let head = AuditHead(word) else {
            throw ValidationError("A head is a number, a colon and 64 hexadecimal digits in lower case.")
        }
        return head
    }

    private static func check(_ file: String, _ head: AuditHead?, _ format: OutputFormat) throws {
        let output = Output(format, .one)
        let bytes: [UInt8]
        do { bytes = [UInt8](try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)) } catch {
            let flaw = "The file \(Printable.quoted(file)) does not exist or cannot be read."
            output.show(
                [flaw, "  Check its path and permissions. It must be the output of `forgebus audit export -o jsonl`."],
                ["sound": false, "entry": .null, "flaw": .string(flaw)]
            )
            throw ExitStatus.badData.exit
        }
        do throws(AuditFlaw) {
            let footer = try AuditExport.check(bytes, endingAt: head)
            let details: JSONObject = [
                "sound": true, "entries": .integer(footer.count), "anchor": .string("\(footer.anchor)"),
                "head": .string("\(footer.head)"),
            ]
            output.show(lines(details), details)
        } catch {
            let details: JSONObject = [
                "sound": false, "entry": error.number.map { .integer($0) } ?? .null, "flaw": .string("\(error)"),
            ]
            // If the last line is no footer, the message itself says what to do.
            output.show(["\(error)"] + (error.number == nil ? [] : [Errors.adviceOnFile(error)]), details)
            throw ExitStatus.badData.exit
        }
        try Terminal.checkWritten()
    }
}

// Exporting.
extension AuditCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the audit's entries, oldest first, and then the number and the hash of the last one.",
            discussion: """
                With -o jsonl, the output is a file that `forgebus audit verify --file` checks. Its last line has \
                the two parts of the audit's head: `last`, the number of the last entry, and `head`, the hash of this \
                entry. Keep both out of reach of those who can change the audit. Later, `forgebus audit verify --head \
                LAST:HEAD` compares them with the audit.
                """
        )

        @Option(
            help: ArgumentHelp(
                "Begin with the entries since this time, such as 2026-03-01T00:00:00Z; or milliseconds since 1970.",
                valueName: "time"
            ),
            transform: Words.time
        )
        var since: Int64?

        @OptionGroup var client: ClientOptions

        func run() async throws {
            try await client.ask(.several) { bus, output throws(BusError) in
                var page = try await page(bus, since.map { ["since_ms": .integer($0)] } ?? [:])
                // Entries that come during the export belong to the next export.
                let (anchor, end) = (page.anchor, page.head)
                var check = AuditCheck(after: anchor)
                while true {
                    if let flaw = AuditCommand.show(page.lines, upTo: end, &check, output) {
                        output.show(Errors.damagedAudit(flaw, after: check.last == anchor ? nil : check.last.number))
                        return .badData
                    }
                    guard check.last != end else { break }
                    page = try await self.page(bus, ["after": .integer(check.last.number)])
                    guard page.anchor.number <= check.last.number else {
                        throw Errors.droppedMeanwhile(check.last.number)
                    }
                }
                let footer = AuditExport.Footer(after: anchor, to: end).json
                output.show("entries \(footer["count"] ?? 0)  head \(end)", footer)
                return .done
            }
        }

        private func page(_ bus: BusClient, _ arguments: JSONObject) async throws(BusError) -> Page {
            guard let page = Page(try await bus.admin("store.audit.page", arguments).details) else {
                throw Errors.unreadablePage
            }
            return page
        }
    }

    /// A page of the audit, as the worker sends it.
    private struct Page {
        let anchor: AuditHead
        let head: AuditHead
        let lines: [String]

        init?(_ details: JSONObject) {
            guard let anchor = details["anchor"]?.string.flatMap({ AuditHead($0) }),
                let head = details["head"]?.string.flatMap({ AuditHead($0) }), let lines = details["lines"]?.array
            else { return nil }
            (self.anchor, self.head, self.lines) = (anchor, head, lines.compactMap(\.string))
        }
    }

    /// Checks and prints the entries of a page, up to the entry `end`; returns the first flaw.
    private static func show(
        _ lines: [String],
        upTo end: AuditHead,
        _ check: inout AuditCheck,
        _ output: Output
    ) -> AuditFlaw? {
        do throws(AuditFlaw) {
            for line in lines where check.last.number < end.number {
                try check.add(line: Array(line.utf8)[...])
                show(line, output)
            }
            // After the last entry, the worker sends a page without entries.
            if lines.isEmpty || check.last.number >= end.number { try check.end(at: end) }
            return nil
        } catch { return error }
    }

    /// Prints an entry; in the format `jsonl` exactly as the worker sent it, because the hash covers these bytes.
    private static func show(_ line: String, _ output: Output) {
        if output.format == .jsonl { return Terminal.say(document: line) }
        guard let entry = (try? JSONValue(parsing: Array(line.utf8)[...]))?.object else { return }
        output.show(text(entry), entry)
    }

    private static func text(_ entry: JSONObject) -> String {
        let time = (entry["at_ms"]?.integer).map(Timestamp.text) ?? ""
        let members = ["principal", "request", "allowed_by"].compactMap { key in
            (entry[key]?.string).map { "\(key) \($0)" }
        }
        let policy = ["by": "file", "new": "new policy", "old": "old policy"]
        let names = entry["event"]?.string == "access_replaced" ? policy : [:]
        let facts = (entry["facts"]?.object?.entries ?? []).map {
            "\(names[$0.key] ?? $0.key) \($0.value.string ?? $0.value.description)"
        }
        return "\(entry["number"] ?? 0)  \(time)  " + (entry["event"]?.string ?? "").padded(to: 18)
            + (members + facts).joined(separator: "  ")
    }
}
