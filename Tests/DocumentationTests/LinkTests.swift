import TestSupport
import Testing

@Suite("The links in documents")
struct LinkTests {
    @Test("lead somewhere", arguments: try Repository.documentsWithLinks())
    func leadSomewhere(_ document: Document) throws {
        for link in try document.links() {
            if let flaw = document.flaw(of: link) { Issue.record("\(flaw)") }
        }
    }

    @Test("are found in the pages and in the catalogues")
    func areFound() throws {
        let documents = try Repository.articles()
        #expect(try documents[0].links().contains { $0.target == "deploy/README.md" })
        #expect(try documents[1].links().contains { $0.target == "../README.md" })
        #expect(try documents.contains { try $0.links().contains { $0.target == "doc:Signals" } })
    }

    private static let article = Document(
        markdown: """
            See <doc:Signals>, <doc:Nothing> and [the web](https://example.org/Nothing.md).
            `[code](Nothing.md)` and
            ```
            [code](Nothing.md)
            ```
            [up](../../../LICENSE), [beside](Monitors.md), [absent](Nothing.md), [out](../../../../LICENSE),
            [a section](Monitors.md#time-in-tests), [no section](Monitors.md#space-in-tests),
            <doc:Monitors#Time-in-tests>, <doc:Monitors#time-in-tests>
            """,
        path: "Sources/ForgeOrchestrator/ForgeOrchestrator.docc/Article.md"
    )

    @Test("are followed as a reader would")
    func areFollowed() throws {
        let links = try Self.article.links()
        let targets = [
            "doc:Signals", "doc:Nothing", "../../../LICENSE", "Monitors.md", "Nothing.md", "../../../../LICENSE",
            "Monitors.md#time-in-tests", "Monitors.md#space-in-tests", "doc:Monitors#Time-in-tests",
            "doc:Monitors#time-in-tests",
        ]
        #expect(links.map(\.target) == targets)
        #expect(links.map(\.line) == [1, 1, 6, 6, 6, 6, 7, 7, 8, 8])
        let broken = links.filter { Self.article.flaw(of: $0) != nil }.map(\.target)
        let expected = [
            "doc:Nothing", "Nothing.md", "../../../../LICENSE", "Monitors.md#space-in-tests",
            "doc:Monitors#time-in-tests",
        ]
        #expect(broken == expected)
    }
}
