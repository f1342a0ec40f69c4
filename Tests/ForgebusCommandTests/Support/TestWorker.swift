/// What the tests' worker serves.
///
/// The commands that wait keep the file `alive` open: where it is a pipe, its reader sees when they are gone.
enum TestWorker {
    static let yaml = #"""
        worker:
          name: tester
        monitors:
          shelf:
            topics: [stock.>]
            minimum_gap: 0s
            actions:
              - id: restock
                when: [test, "!", -e, full]
                run: [touch, full]
          broken:
            topics: [broken]
            minimum_gap: 0s
            actions:
              - id: mend
                when: [test, -e, broken-now]
                run: [/bin/sh, -c, "echo out of glue >&2; exit 3"]
          slow:
            topics: [slow]
            minimum_gap: 0s
            actions:
              - id: dawdle
                when: [test, -e, gate]
                run: [/bin/sh, -c, "echo >dawdling; exec 3>alive; cat gate"]
        pipelines:
          echo:
            seeds:
              text: {type: string, required: true}
              count: {type: integer, default: 2}
              tags: {type: array, default: []}
            outputs: [text, count, tags]
            actions:
              - id: look
                run: ["true"]
          fail:
            actions:
              - id: try
                run: [/bin/sh, -c, "echo no luck >&2; exit 4"]
          deploy:
            seeds:
              version: {type: string, required: true}
            outputs: [approve]
            actions:
              - id: approve
                gate:
                  signal: deploy.{seed.version}.approve
              - id: rollout
                run: [touch, deployed]
          hold:
            outputs: [held]
            actions:
              - id: wait
                run: [/bin/sh, -c, "echo >begun; exec 3>alive; cat release; echo '{\"held\":true}'"]
        """#
}
