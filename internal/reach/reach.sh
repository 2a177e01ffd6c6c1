# Sent to sh at the other end, over its standard input. It only defines functions up to its last
# line, so that an incomplete script does nothing. A shell such as dash reads its input in blocks:
# what follows the script is sent only after an answer, and a program that could read the input
# has another one.

# One line to plinth; a line break in a name would be another answer.
answer() { printf '%s\n' "$(printf %s "$*" | tr '\n' ' ')"; }

sha256() { # sha256 FILE
	if command -v sha256sum >/dev/null 2>&1; then
		set -- $(sha256sum <"$1" 2>/dev/null)
	else
		set -- $(openssl dgst -sha256 -r <"$1" 2>/dev/null)
	fi
	printf %s "${1:-}"
}

same() { [ -f "$1" ] && [ ! -L "$1" ] && [ "$(sha256 "$1")" = "$want" ]; } # same FILE: it has the wanted content

runs() { "$1" --version >/dev/null 2>&1 </dev/null; } # runs PROGRAM

protected() { # protected FILE: it belongs to root, and no other user can write it
	[ -L "$1" ] && return 1
	set -- $(ls -ldn "$1" 2>/dev/null)
	case ${1:-}:${3:-} in -r?x?-?r-x*:0) return 0 ;; esac
	return 1
}

private() { # private DIR: no other user can change it; otherwise why says why not
	case $1 in
	*"$newline"*) why='its name has a line break'; return 1 ;;
	/*) ;;
	*) why='its path is not absolute'; return 1 ;;
	esac
	[ -L "$1" ] && { why='it is a symbolic link'; return 1; }
	[ -d "$1" ] || { why='it is not a directory'; return 1; }
	set -- $(ls -ldn "$1" 2>/dev/null)
	[ "${3:-}" = "$uid" ] || { why="it belongs to the user with id ${3:-unknown}"; return 1; }
	case $1 in drwx--[-S]---*) return 0 ;; esac
	why='other users have access to it'
	return 1
}

suitable() { # suitable DIR: it can hold the program; it is made if it is missing
	if [ ! -e "$1" ] && [ ! -L "$1" ]; then
		# Another plinth may make it at the same time.
		why=$(mkdir -p "${1%/*}" 2>&1 && mkdir -m 700 "$1" 2>&1) || [ -e "$1" ] || { why=${why##*: }; return 1; }
	fi
	private "$1" || return 1
	# Of this host: the directory may be shared, and a copy to it under way.
	set +f
	for old in "$1/.new-$node-"*; do
		[ -f "$old" ] && ! kill -0 "${old##*-}" 2>/dev/null && rm -f "$old"
	done
	set -f
	room "$1" || { why="it has less than $((need / 1024)) MiB of free space"; return 1; }
	new=$1/.new-$node-$$
	printf '#!/bin/sh\nexit 0\n' 2>/dev/null >"$new" || { why='it cannot be written'; rm -f "$new"; return 1; }
	chmod 700 "$new"
	"$new" 2>/dev/null </dev/null || { why='programs cannot run there (noexec)'; rm -f "$new"; return 1; }
	rm -f "$new"
}

room() { # room DIR: twice the size is free, so that plinth does not fill a disk; true if that is not known
	need=$((size / 512))
	set -- $(df -Pk "$1" 2>/dev/null | tail -n 1)
	case ${4:-x} in *[!0-9]*) return 0 ;; esac
	[ "$4" -ge "$need" ]
}

receive() { # receive DIR: the program, into a file that gets its name when it is complete
	method=cat
	command -v gzip >/dev/null 2>&1 && method='gzip -dc'
	answer send "${method%% *}" "$1"
	read -r bytes || exit 1
	new=$1/.new-$node-$$
	# What cannot be written is read all the same: an answer is expected after it.
	why=$(head -c "$bytes" | { $method 2>&1 >"$new" || cat >/dev/null; })
	if ! same "$new"; then
		why="the copy is not complete${why:+: ${why##*: }}"
	elif ! chmod 700 "$new" || ! runs "$new"; then
		why='the program does not run there'
	elif mv -f "$new" "$1/$name"; then
		return 0
	else
		why='the copy cannot be renamed'
	fi
	rm -f "$new"
	return 1
}

choose() { # sets program and how, and answers why a directory is not used
	how=found
	for program in /usr/local/bin/plinth /usr/bin/plinth; do
		protected "$program" && same "$program" && runs "$program" && return 0
	done
	for dir in "$@"; do
		program=$dir/$name
		[ -e "$program" ] && private "$dir" && same "$program" && runs "$program" && return 0
	done
	how=copied
	for dir in "$@"; do
		why=
		program=$dir/$name
		suitable "$dir" && receive "$dir" && return 0
		rmdir "$dir" 2>/dev/null
		answer "no $dir: $why"
	done
	return 1
}

run() { # the agent, instead of this shell
	command -v sha256sum >/dev/null 2>&1 || command -v openssl >/dev/null 2>&1 || { answer tools sha256sum; exit 1; }
	command -v head >/dev/null 2>&1 || { answer tools head; exit 1; }
	choose "$@" || { answer none; exit 1; }
	if [ "$become" = sudo ] && [ "$uid" != 0 ]; then
		command -v sudo >/dev/null 2>&1 || { answer nosudo "$program"; exit 1; }
		# With an empty input the agent ends at once, and it is exactly what sudoers allows.
		said=$(sudo -n "$program" agent 2>&1 >/dev/null </dev/null) ||
			case $said in *sudo:* | Sorry,*)
				answer user "$(id -un)"
				answer sudo "$program"
				answer "${said##*"$newline"}" # before it there may be warnings
				exit 1
				;;
			esac
		answer "$how" "$program"
		umask "$mask"
		exec sudo -n "$program" agent
	fi
	answer "$how" "$program"
	umask "$mask"
	exec "$program" agent
}

clean() { # what plinth copied, in its own directories
	set +f
	for dir in "$@"; do
		private "$dir" || continue
		for file in "$dir"/plinth-????????????????  "$dir"/.new-*; do
			[ -f "$file" ] && rm -f "$file" && answer removed "$file"
		done
		rmdir "$dir" 2>/dev/null
	done
	answer done
	exit 0
}

main() {
	set -f
	mask=$(umask)
	umask 077
	newline='
'
	LC_ALL=C
	PATH=${PATH:-/usr/bin}:/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin
	export LC_ALL PATH
	# If plinth is gone, the directory that a copy was for stays only if it holds one.
	trap 'rmdir "$dir" 2>/dev/null' EXIT
	trap 'exit 1' PIPE
	printf '\n%s\n' "$1"
	answer system "$(uname -s)" "$(uname -m)" "$(uname -r)"
	uid=$(id -u) node=$(uname -n)
	answer connection "${SSH_CONNECTION:-}"
	answer ready
	read -r order want size become || exit 1
	name=plinth-$(printf %.16s "$want")
	cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}
	[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] || cache=/var/tmp
	set -- "$cache/plinth" "/var/tmp/plinth-$uid" "/tmp/plinth-$uid"
	case $order in
	run) run "$@" ;;
	clean) clean "$@" ;;
	esac
	exit 1
}
