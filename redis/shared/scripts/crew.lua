-- The workers that were there lately, and those that have seeds, each with its deadline. KEYS[1] is "{NAME}".
return {call('ZRANGE', base .. ':workers', '0', '-1', 'WITHSCORES'),
    call('ZRANGE', base .. ':feeders', '0', '-1', 'WITHSCORES')}
