import Testing

@Suite("An example")
struct ExampleTests {
    @Test("shows that a monitor acts when its condition holds, whatever the notification says")
    func recheck() async throws {
        let output = try await Example("recheck").output()
        #expect(
            output == """
                sold 3: reorder ran nothing; stock 9
                sold 4: reorder ran nothing; stock 5
                sold 4: reorder ran reorder; stock 21

                """
        )
    }

    @Test("shows that a rollout happens only with an approval, and that whoever decides second learns it")
    func approval() async throws {
        let output = try await Example("approval").output(complaining: ["not on a Friday"])
        #expect(
            output == """
                deploy.41.approve waits
                ada:  delivered
                bob:  conflict
                      build: completed
                      approve: completed
                      roll-out: completed
                deploy 41: completed {"url":"https://shop.example/shop:41"}
                deploy.42.approve waits
                bob:  delivered
                      build: completed
                      approve: failed
                      roll-out: skipped
                deploy 42: failed {}

                """
        )
    }

    @Test("shows that a monitor tells whoever asked whether its rule holds")
    func policy() async throws {
        let output = try await Example("policy").output(complaining: ["cannot stop billing"])
        #expect(
            output == """
                withdrawn-images: ran, running billing
                withdrawn-images: failed, running billing

                """
        )
    }
}
