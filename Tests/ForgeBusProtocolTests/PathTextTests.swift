import Testing

@testable import ForgeBusProtocol

@Suite("The text of a path")
struct PathTextTests {
    @Test(
        "has a directory and a name, whatever it is",
        arguments: [
            ("w", ".", "w"), (".", ".", "."), ("~", ".", "~"), ("", ".", ""), ("é", ".", "é"), ("\n", ".", "\n"),
            ("a/b", "a", "b"), ("a//b", "a", "b"), ("a/b//", "a", "b"), ("a//", ".", "a"),
            ("/", "/", ""), ("//", "/", ""), ("/a", "/", "a"), ("//a", "/", "a"), ("/a/b", "/a", "b"),
            ("~root/x", "~root", "x"), ("a/\u{301}x", "a", "\u{301}x"), ("..", ".", ".."),
        ]
    )
    func parts(_ path: String, _ directory: String, _ name: String) {
        let parts = PathText.parts(of: path)
        #expect(parts.directory == directory)
        #expect(Array(parts.name.utf8) == Array(name.utf8))
    }

    @Test(
        "is absolute in a directory, without what says nothing",
        arguments: [
            ("w", "/d/w"), (".", "/d"), ("", "/d"), ("./w", "/d/w"), ("a//./b/", "/d/a/b"), ("../w", "/d/../w"),
            ("~", "/d/~"), ("/a/./b", "/a/b"), ("/", "/"), ("//a", "/a"),
        ]
    )
    func absolute(_ path: String, _ expected: String) {
        #expect(PathText.absolute(path, in: "/d") == expected)
    }
}
