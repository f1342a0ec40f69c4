/// The words of the program: its errors, and the sentences that take more than a line.
///
/// Each file has the words of one subject.
enum Errors {}
