/// What a test expected was not there.
package struct Missing: Error {
    let what: String

    package init(_ what: String) { self.what = what }
}
