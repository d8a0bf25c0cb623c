-- Writes notes of the crawl. KEYS[1] is "{NAME}". ARGV: time, then names and notes in turn; an empty note deletes.
-- Answers the number of the notes.
--
--   notes   hash: notes by name
--   noted   string: the number of the notes, which rises with each write
for i = 2, #ARGV, 2 do
    if ARGV[i + 1] == '' then
        call('HDEL', base .. ':notes', ARGV[i])
    else
        call('HSET', base .. ':notes', ARGV[i], ARGV[i + 1])
    end
end
return call('INCR', base .. ':noted')
