/// Makes the worker's errors and sentences; one file for each subject.
///
/// The functions take names, numbers and texts, and no other types of the worker, so that every folder can use them.
enum Errors {}
