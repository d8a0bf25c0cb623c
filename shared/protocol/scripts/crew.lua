-- The workers: those that were there lately, and those that have seeds, each with its deadline; what each has told of
-- itself (report.lua); what those have done that are gone; and the time. KEYS[1] is "{NAME}".
return {call('ZRANGE', base .. ':workers', '0', '-1', 'WITHSCORES'),
    call('ZRANGE', base .. ':feeders', '0', '-1', 'WITHSCORES'), call('HGETALL', base .. ':reports'),
    call('HGETALL', base .. ':gone'), clock()}
