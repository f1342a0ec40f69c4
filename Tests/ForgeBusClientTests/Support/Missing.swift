/// What a test expected was not there.
struct Missing: Error {
    let what: String

    init(_ what: String) { self.what = what }
}
