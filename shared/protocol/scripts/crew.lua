-- Reads the workers: recent ones, and those with seeds, each with its deadline; the report of each (report.lua); the
-- work of those that are gone; and the time. KEYS[1] is "{NAME}".
return {call('ZRANGE', base .. ':workers', '0', '-1', 'WITHSCORES'),
    call('ZRANGE', base .. ':feeders', '0', '-1', 'WITHSCORES'), call('HGETALL', base .. ':reports'),
    call('HGETALL', base .. ':gone'), clock()}
