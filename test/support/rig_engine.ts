/** An engine of two programs, as `engines:` describes it. */
export const usualEngine = (rig: { readonly dir: string; at(name: string): string }): string => `  - id: local
    kind: command
    poll: 250ms
    timeout: 5s
    local: false
    autorestart_grace: 100ms
    list:
      argv: ["/bin/sh", "${rig.at('list.sh')}", "${rig.dir}"]
      fields: { name: "/name", state: "/state", generation: "/generation", exit_code: "/exit_code" }
      states:
        - { says: running, means: running }
        - { says: exited, means: exited }
        - { says: stopped, means: stopped }
    restart: { argv: ["/bin/sh", "${rig.at('restart.sh')}", "${rig.dir}", "{channel}"] }`;

/** A catalogue of one pattern: a second less to start. */
export const PATTERNS = `software: rig
patterns:
  - id: rig_ended
    symptom: process_exit_nonzero
    confidence: 0.9
    regex: 'the encoder of \\S{1,60} has ended'
    match:
      - '[error] the encoder of news has ended'
`;

/** Without a program for each channel: it is asked four times a second. Counts how often. */
export const LIST = `printf . >>"$1/looks"
cd "$1/ch" || exit 1
printf '['
comma=
for channel in *; do
  IFS= read -r item <"$channel"
  printf '%s%s' "$comma" "$item"
  comma=,
done
printf ']'
`;

/** Counts first: whatever happens to it afterwards, it was asked. */
export const RESTART = `cd "$1" || exit 1
echo "$2" >>executor.log
case $(cat "mode-$2") in
  refuse) echo "not now" >&2; exit 3 ;;
  nothing) exit 0 ;;
  hang) : >hanging; while [ -e hang ]; do sleep 0.1; done; exit 1 ;;
esac
life=$(grep -cx "$2" executor.log)
echo "{\\"name\\":\\"$2\\",\\"state\\":\\"running\\",\\"generation\\":\\"$life\\",\\"exit_code\\":null}" >"new-$2"
mv "new-$2" "ch/$2"
`;
