/** Recognises lines that look like trouble and are none. */
import type { SymptomKind } from '../core/symptom.ts';
import { anyway, challenged, numbered, unwatched } from './side_remarks.ts';
import { asLeft, asNoise, type Evidence, isSerious, noise, PASSING, playsAfter } from './course.ts';
import type { ExcerptLine } from './lines.ts';
import { orderedEnds } from './ordered_ends.ts';
import { cameThrough, isTry, ordered, retried, wentWell } from './recovered.ts';

/** What looks like trouble and is none, as the rest of its line or the lines around it show. */
export function withoutHarmless(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const rules = [
    ofScanners,
    ofPeers,
    ofSweeping,
    ofDeprecations,
    numbered,
    anyway,
    goneWithout,
    ended,
    joining,
    orderedEnds,
    endedOnPurpose,
    unwatched,
    viewerLeft,
    challenged,
    recovered,
    retried,
    wentWell,
    ordered,
    cameThrough,
    afterStop,
  ];
  return rules.reduce((found, rule) => rule(lines, found), evidence);
}

/** What robots ask every server for. That it is not there, or not for them, is as it should be. */
const SCANNED =
  /\/(?:wp-(?:login|admin|content|includes|config)\b|\.env\b|\.git\/|\.aws\/|phpmyadmin\b|xmlrpc\.php|cgi-bin\/|favicon\.ico|robots\.txt|sitemap\.xml|apple-touch-icon|vendor\/phpunit|boaform\/|HNAP1\b|manager\/html)/i;
const TURNED_AWAY: ReadonlySet<SymptomKind> = new Set(['upstream_not_found', 'auth_denied', 'segment_missing']);

function ofScanners(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const scanned = new Set(lines.filter(({ whole }) => SCANNED.test(whole)).map(({ at }) => at));
  if (scanned.size === 0) return evidence;
  const known = new Set(evidence.map(({ at }) => at));
  return [
    ...evidence.map((one) => (scanned.has(one.at) && TURNED_AWAY.has(one.symptom) ? asNoise(one) : one)),
    ...[...scanned].filter((at) => !known.has(at)).map((at) => noise(at, 'harmless_scanner')),
  ];
}

/** One of those who watch, by a number or an address, or as the one who sent a text. */
const PEER =
  /\b(?:client|viewer|listener|player|subscriber|consumer|spectator)s?(?:(?: |#|\[| \[|=)[\w.:[\]-]{0,60}\d|,? {1,3}(?:disconnected|left|gone|went away|timed out|hung up|closed)\b)|\bfrom (?:the |a )?(?:client|viewer|listener|player|subscriber|consumer)\b|\b(?:dropping|removing|kicking|disconnecting) (?:the |this |one )?(?:client|viewer|listener|player|subscriber|consumer)\b|\b(?:timed out|idle|slow|gone) (?:client|viewer|listener|player|session)s?\b|\b(?:client|viewer|listener)s, \d+ (?:timed out|lost|dropped)\b/i;
/** Somebody else may be meant on the same line: then it stays what it is. */
const NOT_PEER =
  /\b(?:upstream|origin|backend|source|proxy|redis|database|dial|provider|tuner|publish\w*|encoder|ingest|camera|api|(?:push|relay|forward)(?:ing)? (?:to|target)|connect(?:ing|ion)? to|(?:to|from|by) (?:the |a )?(?:remote )?server)\b/i;
const CUT: ReadonlySet<SymptomKind> = new Set(['upstream_unreachable', 'upstream_timeout', 'tls_failure', 'unknown']);

/** What every program says of a connection that broke is no trouble where the line says that it was a viewer's. */
function ofPeers(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const isPeers = ({ at, symptom, general }: Evidence): boolean =>
    general === true && CUT.has(symptom) && PEER.test(lines[at]!.text) && !NOT_PEER.test(lines[at]!.text);
  return evidence.map((one) => (isPeers(one) ? asLeft(one) : one));
}

/** Up to here a claim is only a manner of speaking. */
const VAGUE_SEVERITY = 20;
const SWEPT =
  /\b(?:removed|deleted|purged|pruned|evicted|cleaned(?: up)?|cleared|discarded) (?:\d+ |all )?(?:[a-z]+ )?(?:expired|stale|old|orphaned|outdated|unused)\b|\b(?:alert|alarm|incident|problem)s? (?:\S{1,40} )?(?:resolved|cleared|is over)\b|\b(?:retry|alert|error|restart|back-?off) (?:policy|policies|rules?|thresholds?)\b/i;

/** Old things that were swept out are no trouble, nor is what a line at its ease only hints at. */
function ofSweeping(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const isSwept = ({ at, general, severity, symptom }: Evidence): boolean => {
    const { tone, text } = lines[at]!;
    if (general !== true || tone === 'complaint' || symptom === 'client_disconnect_benign') return false;
    return SWEPT.test(text) || (tone === 'quiet' && (severity <= VAGUE_SEVERITY || symptom === 'unknown'));
  };
  return evidence.map((one) => (isSwept(one) ? asNoise(one) : one));
}

const DEPRECATED = /\bdeprecat(?:ed|ion)|DeprecationWarning|PendingDeprecation|FutureWarning|MovedIn20Warning/i;
/** Then it is more than advice. */
const GONE = /\b(?:error|fatal|fail(?:ed|ure)|removed|unsupported|no longer|cannot|abort\w*)\b/i;

/** Advice to the authors of a program or of its settings: it works today. */
function ofDeprecations(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const isAdvice = ({ text }: ExcerptLine): boolean => DEPRECATED.test(text) && !GONE.test(text);
  const known = new Set(evidence.map(({ at }) => at));
  const more = lines.filter((line) => line.tone === 'complaint' && !known.has(line.at) && isAdvice(line));
  return [
    ...evidence.map((one) => (isSerious(one) && isAdvice(lines[one.at]!) ? asNoise(one) : one)),
    ...more.map(({ at }) => noise(at, 'harmless_deprecation')),
  ];
}

/** A part that is not there, and what the program does about it. */
const WITHOUT =
  /\b(?:not (?:found|installed|available|supported)|unsupported|unknown|missing|unavailable)\b.{0,80}[,;:.-] *(?:[\w.-]+ ){0,3}(?:is |are |will be |being )?(?:disabled|skipp(?:ed|ing)|ignor(?:ed|ing))\b.{0,40}$|\bdrivers? (?:may |is |are )?not (?:be )?installed\b|\b(?:disabled|switched off|turned off) (?:by|in) (?:the |its )?(?:config\w*|settings?|default)\b/i;
const UP_ALL_THE_SAME = /\bstart-?up complete\b|\b(?:successfully started|started successfully)\b/i;
const FAILS = /\b(?:error|fatal|critical|panic|abort\w*)\b/i;
const OPTIONAL: ReadonlySet<SymptomKind> = new Set([
  'hw_accel_failure',
  'upstream_not_found',
  'codec_unsupported',
  'config_error',
  'unknown',
]);

/** What a program says it does without, or has started without. */
function goneWithout(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const up = lines.findLast(({ text }) => UP_ALL_THE_SAME.test(text));
  const lastWorry = lines.findLast(({ tone }) => tone === 'complaint')?.at ?? -1;
  const isUp = (at: number): boolean => up !== undefined && at < up.at && lastWorry < up.at;
  const isSpared = ({ at, text }: ExcerptLine): boolean => !FAILS.test(text) && (WITHOUT.test(text) || isUp(at));
  const known = new Set(evidence.map(({ at }) => at));
  const more = lines.filter((line) => line.tone === 'complaint' && !known.has(line.at) && isSpared(line));
  const isNoise = ({ at, general, symptom }: Evidence): boolean =>
    general === true && OPTIONAL.has(symptom) && isSpared(lines[at]!);
  return [
    ...evidence.map((one) => (isNoise(one) ? asNoise(one) : one)),
    ...more.map(({ at }) => noise(at, 'harmless_without')),
  ];
}

const INPUT = /^Input #0, /;
const MAPPED = /^(?:Stream mapping:|Output #0, )/;

/** Who joins a stream in its middle complains of what it cannot decode until it has seen a whole picture. */
function joining(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const knownAt = lines.findLast(({ text }) => INPUT.test(text) || MAPPED.test(text))?.at;
  if (knownAt === undefined || !playsAfter(lines, knownAt)) return evidence;
  return evidence.map((one) => (one.symptom === 'corrupt_input' && one.at < knownAt ? asNoise(one) : one));
}

/** What a later line says is over. What begins again after that line is not. */
function ended(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const isOver = (symptom: SymptomKind, at: number): boolean =>
    evidence.some((one) => one.at > at && one.ends?.includes(symptom) === true);
  const known = new Set(evidence.map(({ at }) => at));
  const unknown = lines.filter(({ at, tone }) => tone === 'complaint' && !known.has(at) && isOver('unknown', at));
  return [
    ...evidence.map((one) => (isOver(one.symptom, one.at) ? asNoise(one) : one)),
    ...unknown.map(({ at }) => noise(at, 'harmless_ended')),
  ];
}

/** A service ends the encoder of a stream that has no viewer any more. */
const ASKED =
  /\b(?:killing|stopping|terminating|ending) (?:(?:the|idle|unused|active|its) ){0,2}(?:ffmpeg|transcod\w*|encoder)\b|\b(?:stopped|ended|disabled) by (?:an? |the )?(?:operator|user|admin\w*|request)\b|\bkill\(\)|\bsession\b.{0,40}\b(?:idle|unused|no longer (?:used|needed|watched)|no (?:viewers|clients|watchers)\b.{0,12})\b.{0,20}\b(?:stopping|killing|ending|terminating|closing)\b|\bsen(?:ding|t) SIG(?:TERM|INT) to (?:the )?(?:ffmpeg|transcod\w*|encoder)\b/i;
const FOR_CAUSE =
  /stall|respon[ds]|tim(?:ed?|ing) ?-?out|\bhung|memory|watchdog|stuck|fr[eo]{1,2}ze|restart|\bno (?:data|frames|output|progress)\b/i;
const ENDED: ReadonlySet<SymptomKind> = new Set(['process_exit_nonzero', 'unknown']);
const BY_SIGNAL = /\b(?:code|status|signal)[ =:]*(?:-9|-15|9|15|137|143|255)\b|\bSIG(?:KILL|TERM|INT)\b/;

/** An encoder that its service ended, with nothing wrong before that, has not failed. */
function endedOnPurpose(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const asked = lines.find(({ text }) => ASKED.test(text));
  if (asked === undefined || evidence.some((one) => one.at <= asked.at && isSerious(one))) return evidence;
  if (lines.some(({ at, text }) => at <= asked.at && FOR_CAUSE.test(text))) return evidence;
  const isAsked = ({ at, symptom }: Evidence): boolean =>
    ENDED.has(symptom) && at > asked.at && BY_SIGNAL.test(lines[at]!.text);
  return evidence.map((one) => (isAsked(one) ? asNoise(one) : one));
}

/** Where ffmpeg writes to: the head of an output, and what it says when it cannot finish it. */
const TARGET =
  /(?:^Output #\d+, .{1,80}, to '|^Media path: '.{1,200}' --> '|\bError (?:writing trailer of|closing file) )([a-z]+:\/\/[^\s'"]{1,400})/;
/** An address that one waits at, and never connects to. */
const LISTENS = /[?&](?:listen(?:=[12])?|mode=listener)(?:[&:]|$)|^[a-z]+:\/\/(?:0\.0\.0\.0|\[::\])?:\d/;
const WRITES =
  /av_interleaved_write_frame|Error (?:writing|closing|submitting a packet|muxing)|Failed to update header|URL read error|Conversion failed|Task finished with error|\bSRT\b|^SRT target disconnected/;
const LOST: ReadonlySet<SymptomKind> = new Set(['upstream_unreachable', 'process_exit_nonzero', 'unknown']);

/** An output that waits for a reader loses its viewer, not its source. */
function viewerLeft(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const targets = lines.flatMap(({ whole }) => TARGET.exec(whole)?.[1] ?? []);
  if (targets.length === 0 || !targets.every((target) => LISTENS.test(target))) return evidence;
  const isOfViewer = ({ at, symptom }: Evidence): boolean => LOST.has(symptom) && WRITES.test(lines[at]!.text);
  if (!evidence.every((one) => !isSerious(one) || isOfViewer(one))) return evidence;
  return evidence.map((one) => (isSerious(one) ? asLeft(one) : one));
}

const BACK =
  /\b(?:re-?connected|(?:re-?connect\w*|connection)(?: setup)? (?:(?:to|with) .{1,120} )?(?:was |is |has been )?(?:success\w*|succeeded|re-?established|restored|recovered)|re-?established|success\w* (?:re-?)?connect(?:ed|ion)\b|(?:connected|succeeded|successful) (?:after|on|at) .{0,12}(?:attempt|retr|tr(?:y|ies)\b)|(?:attempt|retry|try) (?:#?\d+(?:\/\d+)?:? )?(?:was )?(?:ok\b|2\d\d ok\b|succe\w+)|\b(?:ok|done|completed?|uploaded|sent|loaded) (?:after|on|in) .{0,12}(?:attempt|retr|tr(?:y|ies)\b)|\b(?:ok|done|completed?|uploaded|sent|loaded) \(\d+ (?:attempts|tries|retries)\)|\brecover(?:y|ing)\b.{0,20}\bsuccess\w*|\bconnection to \S{1,120} established\b|\b(?:status|state)[:= ]+connected\b|(?:healthy|reachable|available|online|up|connected) again|(?:source|input|upstream|origin|feed|target)\b.{0,60}\bconnected\b)/i;
const NOT_BACK =
  /\b(?:client|viewer|listener|player|subscriber|user|not|never|un\w+|until|unless|when|once|if|before|retrying|will|fail\w*|cannot|can't|couldn't)\b/i;
/** Up, with the name of what is. */
const UP = /\b(?:now )?connected to (?:the )?([\w.-]+)|\b([\w.-]+) is up\b(?! to)/i;
const AGAIN = /\bagain\b/i;
const TRIES = /\bre-?(?:connect|try|tries|trying)|\battempt|\bwaiting for\b/i;

/** A connection that was lost and is back, by the lines of the program that lost it, with nothing wrong after that. */
function recovered(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const failed = evidence.filter(isSerious).map(({ at }) => lines[at]!.text);
  const isUp = (text: string): boolean => {
    const [, to, what] = UP.exec(text) ?? [];
    const name = to ?? what;
    return name !== undefined && failed.length > 0 && failed.every((one) => one.includes(name));
  };
  const isBack = ({ text, tone }: ExcerptLine): boolean =>
    tone !== 'complaint' && !NOT_BACK.test(text) && (BACK.test(text) || isUp(text));
  const back = lines.findLast(isBack);
  if (back === undefined) return evidence;
  const worried = lines.filter(({ tone }) => tone === 'complaint').map(({ at }) => at);
  if (worried.some((at) => at > back.at)) return evidence;
  const tried = lines.some(({ at, text }) => at <= back.at && (TRIES.test(text) || AGAIN.test(text)));
  if (!tried && !isUp(back.text)) return evidence;
  if (!evidence.every((one) => !isSerious(one) || (one.at <= back.at && PASSING.has(one.symptom)))) return evidence;
  const known = new Set(evidence.map(({ at }) => at));
  const tries = worried.filter((at) => !known.has(at) && isTry(lines[at]!));
  return [
    ...evidence.map((one) => (isSerious(one) ? asNoise(one) : one)),
    ...[...tries, back.at].map((at) => noise(at, 'harmless_recovered')),
  ];
}

const STOPPED =
  /\bHandling signal: (?:term|int|quit)\b|\b[Rr]eceived (?:signal (?:2|15)\b|SIG(?:TERM|INT)\b)|\(SIG(?:TERM|INT|QUIT)\) received\b|\b(?:got|caught) (?:signal )?SIG(?:TERM|INT)\b|\bSIG(?:TERM|INT)\b (?:received|caught)|\b(?:on|by|after|reason="?|signal[=:] ?"?)SIG(?:TERM|INT)\b|(?:exiting|stopping|shutting down|terminating) (?:on|after|by) (?:SIG(?:TERM|INT)|request|signal|user)\b|[Gg]raceful(?:ly)? (?:stop|shut|exit)|\b[Uu]ser (?:stopped|requested)\b|\b[Ss]hutting down(?: (?:the )?(?:server|service|gracefully|now))?(?:[.,;:!"']|$)|\b[Ss]hutdown (?:started|requested|initiated)\b|Stopping server(?:, please wait| gracefully)|\bservice \S+ stopping\b|"stop" has been clicked/;
const STARTED = /\b(?:start(?:ed|ing)|spawned|LOG START)\b/i;
const FORCED = /SIGKILL|\bKILL|[Tt]imed? ?out|\b9\b/;
const WAKE: ReadonlySet<SymptomKind> = new Set([
  'upstream_unreachable',
  'process_exit_nonzero',
  'publisher_lost',
  'playout_gap',
  'stalled_output',
  'unknown',
]);
/** A program that stops makes no new connection. */
const NEW = /\b(?:dial|connect(?:ing)? to|Connection to)\b/;
const TORN =
  /clos|abort|cancel|broken|reset|\bEOF\b|disconnect|interrupt|terminat|stopp|\bexit|\bsent SIG(?:TERM|INT)/i;

/** What an ordered stop tears down complains of it: connections that close, pipes that break, processes that end. */
function afterStop(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const stop = lines.find(({ text }) => STOPPED.test(text));
  if (stop === undefined || lines.some(({ at, tone }) => at <= stop.at && tone === 'complaint')) return evidence;
  const later = lines.filter(({ at }) => at > stop.at);
  if (later.some(({ text }) => STARTED.test(text) || FORCED.test(text))) return evidence;
  const isWake = ({ at, symptom }: Evidence): boolean =>
    at > stop.at && WAKE.has(symptom) && !NEW.test(lines[at]!.text);
  if (!evidence.every((one) => !isSerious(one) || isWake(one))) return evidence;
  const torn = later.filter(({ tone, text }) => tone === 'complaint' && TORN.test(text));
  return [
    ...evidence.map((one) => (isWake(one) ? asNoise(one) : one)),
    ...torn.map(({ at }) => noise(at, 'harmless_stopping')),
  ];
}
