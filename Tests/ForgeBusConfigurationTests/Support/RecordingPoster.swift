import Synchronization

@testable import ForgeBusConfiguration

/// A poster that sends nothing: it keeps the posts, and answers each with the same answer.
final class RecordingPoster: HTTPPoster {
    private let posts = Mutex<[HTTPPost]>([])
    private let answer: HTTPPostAnswer

    init(_ answer: HTTPPostAnswer = HTTPPostAnswer(status: 200)) { self.answer = answer }

    var sent: [HTTPPost] { posts.withLock { $0 } }

    func post(_ post: HTTPPost) async throws(HTTPPostError) -> HTTPPostAnswer {
        posts.withLock { $0.append(post) }
        return answer
    }
}
