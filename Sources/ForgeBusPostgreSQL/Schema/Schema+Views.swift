#if PostgreSQL

/// What people may read with psql; later versions keep these views and their columns.
extension Schema {
    static let views = [
        // A text may contain a zero byte, which a text of PostgreSQL cannot.
        """
        CREATE OR REPLACE FUNCTION forgebus.readable(bytes bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
        BEGIN
            RETURN convert_from(bytes, 'UTF8');
        EXCEPTION WHEN OTHERS THEN
            RETURN encode(bytes, 'escape');
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.moment(milliseconds bigint) RETURNS timestamptz
        LANGUAGE sql STABLE AS $$ SELECT CASE
            WHEN milliseconds BETWEEN -62135596800000 AND 253402300799999
            THEN timestamptz 'epoch' + milliseconds * interval '1 millisecond'
        END $$
        """,
        """
        CREATE OR REPLACE VIEW forgebus.runs AS
        SELECT workers.name AS worker, forgebus.readable(runs.key) AS run, runs.summary ->> 'pipeline' AS pipeline,
            coalesce(runs.summary ->> 'state', progress.summary ->> 'state', 'queued') AS state,
            coalesce(runs.summary ->> 'reason', progress.summary ->> 'reason') AS reason,
            runs.summary ->> 'principal' AS principal, runs.summary ->> 'via' AS via,
            forgebus.moment((runs.summary ->> 'accepted')::bigint) AS accepted,
            forgebus.moment((runs.summary ->> 'ended')::bigint) AS ended
        FROM forgebus.records AS runs
        JOIN forgebus.workers ON workers.id = runs.worker
        LEFT JOIN forgebus.records AS progress
            ON progress.worker = runs.worker AND progress.kind = 3 AND progress.key = runs.key
        WHERE runs.kind = 2
        """,
        """
        CREATE OR REPLACE VIEW forgebus.gates AS
        SELECT workers.name AS worker, forgebus.readable(signals.key) AS gate, signals.summary ->> 'state' AS state,
            signals.summary ->> 'run' AS run, signals.summary ->> 'action' AS action,
            signals.summary ->> 'message' AS message, (signals.summary ->> 'votes')::bigint AS votes,
            signals.summary ->> 'principal' AS principal,
            forgebus.moment((signals.summary ->> 'opened')::bigint) AS opened,
            forgebus.moment((signals.summary ->> 'deadline')::bigint) AS deadline,
            forgebus.moment((signals.summary ->> 'ended')::bigint) AS ended
        FROM forgebus.records AS signals
        JOIN forgebus.workers ON workers.id = signals.worker
        WHERE signals.kind = 4
        """,
        """
        CREATE OR REPLACE VIEW forgebus.history AS
        SELECT workers.name AS worker, journal.number, forgebus.moment(at) AS at, forgebus.readable(event) AS event, run, signal,
            monitor, forgebus.readable(principal) AS principal, request, details
        FROM forgebus.journal JOIN forgebus.workers ON workers.id = journal.worker
        """,
    ]
}
#endif
