/// The version of this package.
package enum Release {
    /// The version number, which `forgebus --version` prints and SHOW of a worker reports.
    package static let version = "0.1.0"
}
