/** Tells the trouble of a viewer's session from others, where a log names its sessions and says what they are for. */
import { OF_A_VIEWER } from './connections.ts';
import { asLeft, type Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';

/** The name of a session, with a digit in it: words that follow "session" name nothing, and an address names many. */
const SESSION = /\b(?:session|connection|conn|client|viewer|reader)[ #:=]{1,2}([\w-]{0,40}\d[\w-]{0,40})\b(?![.:]\d)/i;
const PLAYS = /\bstart(?:s|ed|ing)? (?:to )?play(?:ing|back)?\b|\bis (?:reading|playing|watching)\b/i;
const FEEDS = /\b(?:push|publish|record|announc|ingest|pull|relay|upstream|source)/i;

/** A session that was opened to watch, and for nothing else, is a viewer's: what breaks it off is no outage. */
export function ofSessions(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const viewers = viewersIn(lines);
  if (viewers.size === 0) return evidence;
  const isViewers = (at: number): boolean => viewers.has(sessionOf(lines[at]!) ?? '');
  return evidence.map((one) => (isViewers(one.at) && OF_A_VIEWER.has(one.symptom) ? asLeft(one) : one));
}

const sessionOf = ({ text }: ExcerptLine): string | undefined => SESSION.exec(text)?.[1];

function viewersIn(lines: readonly ExcerptLine[]): ReadonlySet<string> {
  const named = lines.flatMap((line) => {
    const session = sessionOf(line);
    return session === undefined ? [] : [{ session, text: line.text }];
  });
  const watching = named.filter(({ text }) => PLAYS.test(text)).map(({ session }) => session);
  const feeding = new Set(named.filter(({ text }) => FEEDS.test(text)).map(({ session }) => session));
  return new Set(watching.filter((session) => !feeding.has(session)));
}
