import FoundationEssentials
import HTTP

/// Gets resources over HTTP, without credentials.
public struct HTTPResourceFetcher: AgentResourceFetching {
    public init() {}

    public func fetch(_ url: URL, limit: Int) async throws -> AgentResource {
        var request = HTTPRequest("GET", url.absoluteString)
        request.redirects = .followed(maximum: 5)
        request.idleTimeout = .seconds(30)
        request.totalTimeout = .seconds(120)
        request.maximumBodyLength = limit
        let response: HTTPResponse
        let bytes: [UInt8]
        do throws(HTTPError) {
            response = try await HTTPTransport.shared.send(request)
            // What a server says of a failure is of no use here.
            bytes = (200..<300).contains(response.status) ? try await response.collect(limit: limit) : []
        } catch {
            throw AgentRuntimeError.from(error)
        }
        guard (200..<300).contains(response.status) else {
            response.body.close()
            throw AgentRuntimeError(
                code: .network, message: "The server answered \(response.status) instead of what was asked for.", status: response.status)
        }
        let mimeType = response.fields["Content-Type"]?.prefix { $0 != ";" && $0 != " " }
        return AgentResource(data: Data(bytes), mimeType: mimeType.map { $0.lowercased() })
    }
}
