-- Gives the sign of the crawl to a partition; and, when all partitions have it, to the crawl as a whole. ARGV: time, sign.
-- Answers 1; or 0 where the sign of another crawl stands there, whose keys were not all dropped.
call('HSETNX', figures, 'made', ARGV[2])
return call('HGET', figures, 'made') == ARGV[2] and 1 or 0
