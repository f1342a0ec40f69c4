#if PostgreSQL

/// The functions that decide who holds a worker's name, and refuse everybody else.
extension Schema {
    /// The functions `fence` and `confirm`, with which each transaction on a worker's records begins, and their parts.
    ///
    /// They raise an error, which ends the transaction, unless they changed the worker's row. An `UPDATE` that finds no row
    /// would not be enough, because it is not an error: the `COMMIT`, which is sent already, would commit the rest.
    static let fencing = [
        """
        CREATE OR REPLACE FUNCTION forgebus.refuse(holder integer, who text, held text, mine bigint, last bigint)
        RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            kept forgebus.workers;
        BEGIN
            SELECT * INTO kept FROM forgebus.workers WHERE id = holder;
            IF kept.identity IS DISTINCT FROM who THEN
                RAISE EXCEPTION 'the database has another store in place of the store %', who USING ERRCODE = 'FB004';
            ELSIF kept.tenure <> held AND kept.epoch > mine THEN
                RAISE EXCEPTION 'another process has taken the worker "%" over: the latest take-over is number %, '
                    'and that of this process was number %',
                    kept.name, kept.epoch, mine USING ERRCODE = 'FB001';
            ELSIF kept.tenure <> held OR kept.number < last THEN
                RAISE EXCEPTION 'the database lacks commits of the worker "%": it has commit % of take-over %, '
                    'and had commit % of take-over % before',
                    kept.name, kept.number, kept.epoch, last, mine USING ERRCODE = 'FB003';
            END IF;
            RAISE EXCEPTION 'the worker "%" is at commit %, and was at %', kept.name, kept.number, last
                USING ERRCODE = 'FB002';
        END $$
        """,
        // Makes the commit of the transaction as durable as the store says, whatever the settings of the server, the
        // database and the role are, and whatever they become before the COMMIT: a value that is set in the transaction
        // outranks them. A level above the needed one stays. No session can set `fsync` and the list of replicas, so a
        // server with the wrong ones is refused.
        """
        CREATE OR REPLACE FUNCTION forgebus.endure(replicated boolean) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            level text := current_setting('synchronous_commit');
        BEGIN
            IF current_setting('fsync') <> 'on' THEN
                RAISE EXCEPTION 'it can lose acknowledged commits if its machine fails: fsync is off' USING ERRCODE = 'FB010';
            ELSIF replicated AND current_setting('synchronous_standby_names') = '' THEN
                RAISE EXCEPTION '`replicated` needs a server that waits for a replica, but synchronous_standby_names is empty'
                    USING ERRCODE = 'FB007';
            END IF;
            PERFORM set_config('synchronous_commit', CASE
                WHEN replicated AND level <> 'remote_apply' THEN 'on' WHEN level = 'off' THEN 'local' ELSE level
            END, true);
        END $$
        """,
        // Prepares a transaction. `statement_timeout` must not end a commit that waits for a replica, and the server must
        // send the warning that a replica may not have the commit. A transaction on a lost connection may still hold the
        // lock: the wait for it ends after 10 s, so that connections do not pile up. The lock shows other processes which
        // connection has a transaction of the worker.
        """
        CREATE OR REPLACE FUNCTION forgebus.enter(class integer, holder integer) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('statement_timeout', '0', true), set_config('client_min_messages', 'warning', true),
                set_config('lock_timeout', '10s', true);
            PERFORM pg_advisory_xact_lock(class, holder);
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.fence(
            holder integer, who text, held text, mine bigint, replicated boolean, last bigint, entries bigint,
            audit_to bigint, audit_hash_to bytea
        ) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM forgebus.endure(replicated);
            PERFORM forgebus.enter(1179600711, holder);
            UPDATE forgebus.workers SET
                number = last + 1,
                last_entry = last_entry + entries,
                audit_number = coalesce(audit_to, audit_number),
                audit_hash = coalesce(audit_hash_to, audit_hash)
            WHERE id = holder AND tenure = held AND number = last;
            IF NOT FOUND THEN PERFORM forgebus.refuse(holder, who, held, mine, last); END IF;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.confirm(
            holder integer, who text, held text, mine bigint, replicated boolean, last bigint
        ) RETURNS forgebus.workers LANGUAGE plpgsql AS $$
        DECLARE
            kept forgebus.workers;
        BEGIN
            PERFORM forgebus.endure(replicated);
            PERFORM forgebus.enter(1179600711, holder);
            UPDATE forgebus.workers SET confirmations = confirmations + 1
            WHERE id = holder AND tenure = held AND number >= last RETURNING * INTO kept;
            IF NOT FOUND THEN PERFORM forgebus.refuse(holder, who, held, mine, last); END IF;
            RETURN kept;
        END $$
        """,
    ]

    /// The functions that register, take over, renew and release a name.
    static let holding = [
        """
        CREATE OR REPLACE FUNCTION forgebus.introduce(worker text, who text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            -- An insert would wait for a transaction that changes the row.
            IF EXISTS (
                SELECT FROM forgebus.workers JOIN forgebus.leases ON leases.worker = workers.id
                WHERE name = introduce.worker
            ) THEN
                RETURN;
            END IF;
            INSERT INTO forgebus.workers (name, identity) VALUES (worker, who) ON CONFLICT DO NOTHING;
            INSERT INTO forgebus.leases (worker) SELECT id FROM forgebus.workers WHERE name = introduce.worker
                ON CONFLICT DO NOTHING;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.boot() RETURNS text LANGUAGE plpgsql AS $$
        DECLARE
            found text;
        BEGIN
            SELECT token INTO found FROM forgebus.boots;
            IF found IS NULL THEN
                INSERT INTO forgebus.boots VALUES (1, md5(random()::text || clock_timestamp()::text))
                    ON CONFLICT DO NOTHING;
            END IF;
            RETURN found;
        END $$
        """,
        // A renewal need not be on the disk: after a crash of the server, everybody begins to observe anew.
        """
        CREATE OR REPLACE FUNCTION forgebus.renew(holder integer, who text, held text, mine bigint)
        RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('synchronous_commit', 'off', true);
            PERFORM forgebus.enter(1179600712, holder);
            UPDATE forgebus.leases SET renewal = renewal + 1
            WHERE worker = holder AND tenure = held AND renewal IS NOT NULL;
            IF FOUND THEN RETURN; END IF;
            IF EXISTS (SELECT FROM forgebus.leases WHERE worker = holder AND tenure = held) THEN
                RAISE EXCEPTION 'this process has released the worker' USING ERRCODE = 'FB006';
            END IF;
            PERFORM forgebus.refuse(holder, who, held, mine, 0);
        END $$
        """,
        // Takes the name, unless the lease has changed since it was observed. Before that, it waits for an open transaction
        // of the holder, for at most 500 ms.
        """
        CREATE OR REPLACE FUNCTION forgebus.take(
            worker text, seen_epoch bigint, seen_renewal bigint, token text, lease bigint, taker text, given text
        ) RETURNS forgebus.workers LANGUAGE plpgsql AS $$
        DECLARE
            taken forgebus.workers;
            found_lease forgebus.leases;
        BEGIN
            PERFORM set_config('statement_timeout', '0', true), set_config('client_min_messages', 'warning', true),
                set_config('lock_timeout', '500ms', true);
            SELECT * INTO taken FROM forgebus.workers WHERE name = worker;
            SELECT * INTO found_lease FROM forgebus.leases WHERE leases.worker = taken.id FOR UPDATE;
            IF found_lease.epoch IS DISTINCT FROM seen_epoch OR found_lease.renewal IS DISTINCT FROM seen_renewal THEN
                RAISE EXCEPTION 'another process holds the worker "%"', worker USING ERRCODE = 'FB005';
            END IF;
            PERFORM pg_advisory_xact_lock(1179600711, taken.id);
            UPDATE forgebus.workers SET epoch = workers.epoch + 1, tenure = token, definitions = given
            WHERE id = taken.id RETURNING * INTO taken;
            UPDATE forgebus.leases SET epoch = taken.epoch, tenure = token, renewal = 0, lease_ms = lease, process = taker
            WHERE leases.worker = taken.id;
            RETURN taken;
        END $$
        """,
        """
        CREATE OR REPLACE FUNCTION forgebus.release(holder integer, held text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE forgebus.leases SET renewal = NULL WHERE worker = holder AND tenure = held;
        END $$
        """,
        // Keeps the lease until it runs out; then any process may follow, because the holder was stopped.
        """
        CREATE OR REPLACE FUNCTION forgebus.leave(holder integer, held text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE forgebus.workers SET definitions = '' WHERE id = holder AND tenure = held;
        END $$
        """,
        // For a database that was restored: no later run may get the id of a run that the database does not know any more.
        """
        CREATE OR REPLACE FUNCTION forgebus.skip_epochs(worker text, count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE
            raised bigint;
        BEGIN
            UPDATE forgebus.workers SET epoch = epoch + greatest(count, 0) WHERE name = worker RETURNING epoch INTO raised;
            RETURN raised;
        END $$
        """,
        // Ends the connections on which the old holder has a transaction open, such as that of a process that is suspended.
        """
        CREATE OR REPLACE FUNCTION forgebus.cut_off(holder integer, seen_epoch bigint, seen_renewal bigint)
        RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT EXISTS (
                SELECT FROM forgebus.leases
                WHERE worker = holder AND epoch = seen_epoch AND renewal IS NOT DISTINCT FROM seen_renewal
            ) THEN
                RETURN 0;
            END IF;
            RETURN (
                SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_locks
                WHERE locktype = 'advisory' AND classid IN (1179600711, 1179600712) AND objid = holder AND objsubid = 2
                    AND granted AND pid <> pg_backend_pid()
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            );
        END $$
        """,
    ]
}
#endif
