#pragma once

// Debian keeps the header in a folder of its own, Homebrew and others do not.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// The fields of an error, whose macros Swift does not import.
static const int forge_pg_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int forge_pg_state = PG_DIAG_SQLSTATE;
static const int forge_pg_message = PG_DIAG_MESSAGE_PRIMARY;
