# Completion of crawl for fish. The program knows its words: crawl help --complete WORD...
function __crawl_complete
    set -l typed (commandline -opc)[2..-1] (commandline -ct)
    set -l prefix ''
    if string match -qr -- '^--.*=' $typed[-1]
        set -l parts (string split -m 1 = -- $typed[-1])
        set prefix $parts[1]=
        set typed $typed[1..-2] $parts[1] = $parts[2]
    end
    for line in (crawl help --complete $typed 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -- "$prefix" '' (commandline -ct))
            case :folders
                __fish_complete_directories (string replace -- "$prefix" '' (commandline -ct)) ''
            case '*'
                echo $prefix$line
        end
    end
end
complete -c crawl -f -a '(__crawl_complete)'
