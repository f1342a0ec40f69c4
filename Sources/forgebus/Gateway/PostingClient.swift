#if HTTP
import ForgeBusConfiguration
import ForgeBusGateway

/// Sends the requests of `post:` with the HTTP client of the gateway.
struct PostingClient: HTTPPoster {
    private let client = PostClient()

    func post(_ post: HTTPPost) async throws(HTTPPostError) -> HTTPPostAnswer {
        let request = PostClient.Post(
            url: post.url,
            body: post.body,
            id: post.id,
            signingKey: post.signingKey,
            traceparent: post.traceparent,
            epoch: post.epoch,
            timeLimit: post.timeLimit
        )
        do throws(PostClient.Failure) {
            let answer = try await client.send(request)
            return HTTPPostAnswer(
                status: answer.status,
                mediaType: answer.mediaType,
                location: answer.location,
                body: answer.body,
                isWhole: answer.isWhole
            )
        } catch {
            throw HTTPPostError(error.description)
        }
    }
}
#endif
