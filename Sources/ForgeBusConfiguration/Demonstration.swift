extension WorkerFile {
    /// The text of a worker file for demonstrations, whose commands use only programs that every Debian system has.
    ///
    /// The commands write files into the worker file's directory, so put the worker file into a new directory.
    ///
    /// - The monitor `stock` follows `stock.>`; while the file `shelf` has fewer than five lines, each cycle adds a
    ///   line.
    /// - The pipeline `greet` takes a name and returns a greeting.
    /// - The pipeline `deploy` takes a version, builds it, and waits until somebody approves `deploy.VERSION.approve`.
    ///   Then it rolls the version out, which creates the file `deployed-VERSION`.
    public static let demonstration = #"""
        worker:
          name: demonstration

        monitors:
          stock:
            topics: [stock.>]
            actions:
              - id: restock
                when: [/bin/sh, -c, 'test "$(cat shelf 2>/dev/null | wc -l)" -lt 5']
                run: [/bin/sh, -c, 'echo apple >> shelf']

        pipelines:
          greet:
            seeds:
              name: {type: string, required: true}
            outputs: [greeting]
            actions:
              - id: compose
                # The name keeps the escapes of the JSON input, so the output is valid JSON, too.
                run: [sed, -E, 's/.*"name":"(([^"\\]|\\.)*)".*/{"greeting":"Hello, \1!"}/']

          deploy:
            seeds:
              version: {type: string, required: true}
            outputs: [deployed]
            actions:
              - id: build
                run: [/bin/sh, -c, 'cat > built.json']
              - id: approve
                gate:
                  signal: deploy.{seed.version}.approve
                  deadline: 1d
              - id: rollout
                requires: [build, approve]
                run:
                  - /bin/sh
                  - -c
                  # The version is one token of a name, because it is part of the gate's id.
                  - |
                    version=$(sed -E 's/.*"version":"([^"]*)".*/\1/')
                    cp built.json "deployed-$version"
                    printf '{"deployed":"%s"}\n' "$version"
        """#

    /// The name of the file with the JSON Schema that the first line of the ``sample`` names.
    public static let schemaName = "forgebus.schema.json"

    /// The text of a worker file to begin with, whose commands write no files.
    ///
    /// - The monitor `release` requests a run of `deploy` at each start of the worker.
    /// - The pipeline `deploy` tests a version, and waits until somebody approves it; an approval may name a ticket.
    /// - The pipeline `greet` takes a name.
    /// - The monitor `stock` follows `stock.>`.
    public static let sample = #"""
        # yaml-language-server: $schema=forgebus.schema.json
        # A sample to try things out. Change it, and start the worker again: runs that wait go on waiting. A run is
        # parked if you have changed a step that is still ahead of it; forgebus redrive RUN then resumes it.
        worker:
          name: dev

        monitors:
          # Runs after each change of stock:   forgebus notify stock.apples --wait
          stock:
            topics: [stock.>]
            actions:
              - {id: count, run: [echo, "counted"]}

          # Requests a run at each start, unless its last one still waits, so that a gate waits for you in the console.
          release:
            topics: [release.>]
            actions:
              - {id: request, request: deploy, seeds: {version: "1.0"}}

        pipelines:
          # forgebus run greet name=Ada
          greet:
            seeds:
              name: {type: string, default: World}
            actions:
              - {id: compose, run: [sed, -E, 's/.*"name":"([^"]*)".*/Hello \1!/']}

          # forgebus run deploy version=2.0
          deploy:
            title: "Deploy {seed.version}"
            seeds:
              version: {type: string, required: true}
            actions:
              - {id: test, run: [echo, '{"tests": "132 passed"}']}
              - id: approve
                gate:
                  message: "Deploy {seed.version} to production? Tests: {value.tests}"
                  value:
                    ticket: {type: string, required: false}
              - {id: roll-out, run: [sh, -c, "sleep 2; echo rolled out"]}
        """#
}
