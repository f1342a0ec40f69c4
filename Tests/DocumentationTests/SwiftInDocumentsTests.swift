import TestSupport
import Testing

@Suite("The Swift in documents")
struct SwiftInDocumentsTests {
    @Test("compiles as it stands")
    func compiles() async throws {
        for error in try await Compiler().errors(in: Repository.documentsWithSwift()) {
            Issue.record("\(error.path):\(error.line):\(error.column): \(error.message)")
        }
    }

    @Test(
        "is found in every article that teaches by it",
        arguments: [
            "README.md",
            "examples/README.md",
            "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/ForgeOrchestrator.md",
            "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/Sequences.md",
            "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/Pipelines.md",
            "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/Monitors.md",
            "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/Signals.md",
            "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/FromTheIOSLibrary.md",
            "Sources/ForgeBusProtocol/ForgeBusProtocol.docc/ForgeBusProtocol.md",
            "Sources/ForgeBusStore/ForgeBusStore.docc/ForgeBusStore.md",
            "Sources/ForgeBusSQLite/ForgeBusSQLite.docc/ForgeBusSQLite.md",
            "Sources/ForgeBusPostgreSQL/ForgeBusPostgreSQL.docc/ForgeBusPostgreSQL.md",
            "Sources/ForgeBusClient/ForgeBusClient.docc/ForgeBusClient.md",
            "Sources/ForgeBusWorker/ForgeBusWorker.docc/ForgeBusWorker.md",
            "Sources/ForgeBusWorker/ForgeBusWorker.docc/PublishOrSend.md",
            "Sources/ForgeBusGateway/ForgeBusGateway.docc/ForgeBusGateway.md",
            "Sources/ForgeBusTesting/ForgeBusTesting.docc/ForgeBusTesting.md",
            "Sources/ForgeBusTesting/ForgeBusTesting.docc/TestingYourActions.md",
            "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/ForgeBusConfiguration.md",
            "Sources/ZeroMQ/ZeroMQ.docc/ZeroMQ.md",
            "Sources/ZeroMQ/ZeroMQ.docc/GettingStarted.md",
            "Sources/ZeroMQ/ZeroMQ.docc/BackPressure.md",
            "Sources/ZeroMQ/ZeroMQ.docc/PublishAndSubscribe.md",
            "Sources/ZeroMQ/ZeroMQ.docc/Security.md",
            "Sources/ForgeOrchestrator/Actions/ActionID.swift",
            "Sources/ForgeOrchestrator/Sequence/SequenceOrchestrator.swift",
            "Sources/ForgeOrchestrator/Pipeline/PipelineOrchestrator.swift",
            "Sources/ForgeOrchestrator/Monitor/MonitorOrchestrator.swift",
            "Sources/ForgeOrchestrator/Signals/CompletionSignal.swift",
            "Sources/ForgeBusClient/BusClient.swift",
            "Sources/ForgeBusWorker/BusWorker.swift",
            "Sources/ForgeBusTesting/TestClock.swift",
            "Sources/ForgeBusTesting/TestWorker.swift",
            "Sources/ForgeBusTesting/TestWorker+People.swift",
            "Sources/ForgeBusTesting/AccessPolicy+Testing.swift",
            "Sources/ForgeBusTesting/Expectations/TestRun.swift",
            "Sources/ForgeBusConfiguration/WorkerFile.swift",
            "Sources/ZeroMQ/Sockets/SocketOptions.swift",
        ]
    )
    func isFound(_ path: String) throws {
        #expect(try Repository.documentsWithSwift().contains { $0.path == path }, "\(path) holds no block of Swift")
    }
}

@Suite("The manifest in the page of the examples")
struct ManifestTests {
    @Test("is that of the example's package, which `deploy/test --full` builds and tests as one")
    func isThatOfTheExample() throws {
        let path = "examples/README.md"
        let page = Document(markdown: try Repository.text(of: path), path: path)
        let shown = try page.codeBlocks().filter { $0.lines.first?.hasPrefix("// swift-tools-version") == true }
        let example = try Repository.text(of: "examples/deploys/Package.swift")
            .replacing("path: \"../..\"", with: "path: \"../forge-orchestrator\"")
        #expect(shown.map { $0.lines.joined(separator: "\n") + "\n" } == [example])
    }
}

@Suite("The check of the Swift in documents")
struct CheckOfSwiftTests {
    private static let article = """
        A worker:

        ```swift
        import ForgeBusWorker

        struct Answer {
            let text: String
        }
        ```

        - In a list, and in a function of its own:

          ```swift
          let answer = Answer(text: 42)
          ```

        ```swift no-compile
        this is wrong on purpose
        ```

        ```swift
        import ForgeOrchestrator

        func ask() -> Answer {
            let id = ActionID("ask")
            print(id)
        }
        ```
        """

    @Test("says which line of the document is wrong, also where only a later pass of the compiler sees it")
    func linesOfTheDocument() async throws {
        let document = Document(markdown: Self.article, path: "Article.md")
        let errors = try await Compiler().errors(in: document)
        #expect(errors.map(\.line) == [14])
        #expect(errors.first?.message.contains("type 'Int'") == true)

        let corrected = Self.article.replacing("text: 42", with: "text: \"42\"")
        let rest = try await Compiler().errors(in: Document(markdown: corrected, path: "Article.md"))
        #expect(rest.map(\.line) == [27])
        #expect(rest.first?.message.contains("missing return") == true)
        #expect(rest.first?.path == "Article.md")
    }

    @Test("reads documentation comments, whose readers import the module and what it shows")
    func comments() async throws {
        let source = """
            public import ForgeOrchestrator
            import ZeroMQ

            extension BusWorker {
                /// Waits.
                ///
                /// ```swift
                /// let signal = CompletionSignal()
                /// try await worker(signal)
                /// ```
                public func wait() {}
            }
            """
        let document = Document(comments: source, path: "Sources/ForgeBusWorker/Waiting.swift")
        #expect(document.impliedImports == ["import ForgeBusWorker", "import ForgeOrchestrator"])
        let errors = try await Compiler().errors(in: document)
        #expect(errors.map(\.line) == [9])
        #expect(errors.first?.message.contains("'worker'") == true)
    }

    @Test("takes blocks apart as they are written")
    func blocks() throws {
        let blocks = try Document(markdown: Self.article, path: "Article.md").codeBlocks()
        #expect(blocks.map(\.firstLine) == [4, 14, 18, 22])
        #expect(blocks.map(\.isSwift) == [true, true, false, true])
        #expect(blocks.map(\.isDeclarative) == [true, false, false, true])
        #expect(blocks[1].lines == ["let answer = Answer(text: 42)"])
    }

    @Test("refuses a fence that is never closed, which would hide what follows")
    func openFence() {
        let document = Document(markdown: "Text\n\n```swift\nlet x = 1\n", path: "Open.md")
        #expect { try document.swiftBlocks() } throws: { "\($0)".hasPrefix("Open.md:3: ") }
        let comment = Document(comments: "/// ```swift\n/// let x = 1\nlet y = 2\n/// ```\n", path: "Open.swift")
        #expect(throws: DocumentError.self) { try comment.swiftBlocks() }
    }
}
