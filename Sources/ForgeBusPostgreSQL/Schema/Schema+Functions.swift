#if PostgreSQL

/// The functions of the schema. A worker changes its rows only through them.
extension Schema {
    static var functions: [String] { fencing + holding + writing + dropping }

    private static let writing = [
        // Puts and removes records, counts them in the worker's row, and returns the size of what the actions of removed
        // runs had printed. `xmax` is 0 in a row that is new.
        """
        CREATE OR REPLACE FUNCTION forgebus.change(
            holder integer, kinds smallint[], keys bytea[], records bytea[], summaries json[],
            gone_kinds smallint[], gone_keys bytea[], runs text[]
        ) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE
            added bigint := 0;
            removed bigint := 0;
            freed bigint := 0;
        BEGIN
            IF cardinality(kinds) > 0 THEN
                WITH kept AS (
                    INSERT INTO forgebus.records (worker, kind, key, value, summary)
                    SELECT holder, given.* FROM unnest(kinds, keys, records, summaries) AS given
                    ON CONFLICT (worker, kind, key) DO UPDATE SET value = excluded.value, summary = excluded.summary
                    RETURNING xmax = 0 AS is_new
                ) SELECT count(*) FILTER (WHERE is_new) INTO added FROM kept;
            END IF;
            IF cardinality(gone_kinds) > 0 THEN
                DELETE FROM forgebus.records USING unnest(gone_kinds, gone_keys) AS old(kind, key)
                WHERE records.worker = holder AND records.kind = old.kind AND records.key = old.key;
                GET DIAGNOSTICS removed = ROW_COUNT;
            END IF;
            IF added <> removed THEN
                UPDATE forgebus.workers SET records = workers.records + added - removed WHERE id = holder;
            END IF;
            IF cardinality(runs) > 0 THEN
                WITH gone AS (DELETE FROM forgebus.outputs WHERE worker = holder AND run = ANY (runs) RETURNING size)
                SELECT coalesce(sum(size), 0) INTO freed FROM gone;
            END IF;
            RETURN freed;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.note(
            holder integer, last bigint, ats bigint[], events bytea[], runs text[], signals text[], monitors text[],
            principals bytea[], requests text[], texts json[]
        ) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO forgebus.journal (
                worker, number, at, event, run, signal, monitor, principal, request, details
            )
            SELECT holder, last + given.place, given.at, given.event, given.run, given.signal, given.monitor, given.principal,
                given.request, given.details
            FROM unnest(ats, events, runs, signals, monitors, principals, requests, texts) WITH ORDINALITY
                AS given(at, event, run, signal, monitor, principal, request, details, place);
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.print(
            holder integer, runs text[], actions bytea[], attempts bigint[], ats bigint[], failures bytea[],
            texts bytea[], texts_omitted bigint[], faults bytea[], faults_omitted bigint[], sizes bigint[]
        ) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO forgebus.outputs (
                worker, run, action, attempt, at, failure, output, output_omitted, errors, errors_omitted, size
            )
            SELECT holder, given.run, given.action, given.attempt, given.at, given.failure, given.output, given.output_omitted,
                given.errors, given.errors_omitted, given.size
            FROM unnest(
                runs, actions, attempts, ats, failures, texts, texts_omitted, faults, faults_omitted, sizes
            ) WITH ORDINALITY AS given(
                run, action, attempt, at, failure, output, output_omitted, errors, errors_omitted, size, place
            ) ORDER BY given.place;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.audit(
            holder integer, numbers bigint[], ats bigint[], entries bytea[], hashes bytea[]
        ) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO forgebus.audit (worker, number, at, entry, hash)
            SELECT holder, given.* FROM unnest(numbers, ats, entries, hashes) AS given;
        END $$
        """,
    ]

    /// Each function reads a limited number of the oldest rows, and drops those that the store need not keep.
    ///
    /// The functions for the journal and the audit also return the oldest row that they read and kept, or NULL if they kept
    /// none. All begin at `first`, below which there are no rows: an index keeps the places of dropped rows for some time,
    /// and a search from its beginning would pass over all of them.
    private static let dropping = [
        """
        CREATE OR REPLACE FUNCTION forgebus.drop_journal(
            holder integer, first bigint, most bigint, horizon bigint, at_most integer, OUT number bigint, OUT at bigint
        ) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE
            oldest record;
            last bigint;
        BEGIN
            SELECT last_entry INTO last FROM forgebus.workers WHERE id = holder;
            SELECT min(number) FILTER (WHERE NOT surplus) AS kept, max(number) AS read INTO oldest FROM (
                SELECT number, number <= last - most OR at < horizon AS surplus FROM forgebus.journal
                WHERE worker = holder AND number >= first ORDER BY number LIMIT at_most
            ) AS rows;
            DELETE FROM forgebus.journal
            WHERE worker = holder AND number >= first AND number < coalesce(oldest.kept, oldest.read + 1);
            SELECT kept.number, kept.at INTO drop_journal.number, drop_journal.at FROM forgebus.journal AS kept
            WHERE kept.worker = holder AND kept.number = oldest.kept;
        END $$
        """,
        // The newest entry stays, whatever its time.
        """
        CREATE OR REPLACE FUNCTION forgebus.drop_audit(
            holder integer, first bigint, most bigint, horizon bigint, at_most integer,
            OUT dropped bigint, OUT anchor bytea, OUT at bigint
        ) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE
            oldest record;
            newest bigint;
            last bigint;
        BEGIN
            SELECT audit_number INTO newest FROM forgebus.workers WHERE id = holder;
            SELECT min(number) FILTER (WHERE NOT surplus) AS kept, max(number) AS read INTO oldest FROM (
                SELECT number, number < newest AND (number <= newest - most OR at < horizon) AS surplus
                FROM forgebus.audit WHERE worker = holder AND number >= first ORDER BY number LIMIT at_most
            ) AS rows;
            last := coalesce(oldest.kept - 1, oldest.read);
            UPDATE forgebus.workers SET audit_dropped = last, audit_anchor = gone.hash FROM forgebus.audit AS gone
            WHERE id = holder AND gone.worker = holder AND gone.number = last;
            DELETE FROM forgebus.audit WHERE worker = holder AND number >= first AND number <= last;
            SELECT audit_dropped, audit_anchor INTO dropped, anchor FROM forgebus.workers WHERE id = holder;
            SELECT kept.at INTO drop_audit.at FROM forgebus.audit AS kept
            WHERE kept.worker = holder AND kept.number = oldest.kept;
        END $$
        """,
        // Returns the size of the dropped rows, and the lowest number that a remaining row can have.
        """
        CREATE OR REPLACE FUNCTION forgebus.drop_outputs(
            holder integer, first bigint, excess bigint, OUT freed bigint, OUT next bigint
        ) LANGUAGE plpgsql AS $$
        BEGIN
            WITH oldest AS (
                SELECT number, sum(size) OVER (ORDER BY number) - size AS before FROM (
                    SELECT number, size FROM forgebus.outputs
                    WHERE worker = holder AND number >= first ORDER BY number LIMIT 512
                ) AS rows
            ), gone AS (
                DELETE FROM forgebus.outputs
                WHERE worker = holder AND number IN (SELECT number FROM oldest WHERE before < excess)
                RETURNING number, size
            )
            SELECT coalesce(sum(size), 0), coalesce(max(number) + 1, first) INTO freed, next FROM gone;
        END $$
        """,
    ]
}
#endif
