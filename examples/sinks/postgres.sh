#!/bin/bash
# Keeps the pages of a crawl in PostgreSQL: crawl --state DIR --output exec:'postgres.sh' URL
# PGHOST, PGDATABASE and similar variables name the server. psql commits each statement before it prints the answer.
set -euo pipefail
{
    echo "CREATE TABLE IF NOT EXISTS pages (id text PRIMARY KEY, version bigint, url text, record json);"
    while IFS= read -r line; do
        printf '\\set line %s\n' "'$(sed "s/[\\\\']/\\\\&/g" <<<"$line")'"
        cat <<'SQL'
WITH line AS (SELECT :'line'::json AS l), written AS (
    INSERT INTO pages SELECT l->>'id', (l->>'version')::bigint, l#>>'{record,url}',
        CASE l->>'op' WHEN 'index' THEN l->'record' END
    FROM line WHERE l->>'op' IN ('index', 'delete')
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, record = excluded.record
        WHERE excluded.version > pages.version)
SELECT json_build_object('ack', l->'n') FROM line WHERE l->>'n' IS NOT NULL;
SQL
    done
} | psql --quiet --no-psqlrc --tuples-only --no-align --set ON_ERROR_STOP=1
