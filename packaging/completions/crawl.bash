# Completion of crawl for bash. The program knows its words: crawl help --complete WORD...
_crawl() {
    local IFS=$'\n' current=${COMP_WORDS[COMP_CWORD]} words
    words=$("${COMP_WORDS[0]}" help --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1) || return 0
    [ "$current" != = ] || current=
    case $words in
        :files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        :folders) compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")) ;;
        *) COMPREPLY=($words) ;;
    esac
}
complete -F _crawl crawl
