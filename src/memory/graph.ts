/** The graph in its file: takes journal entries in order, and lets go of what the journal no longer holds. */
import { createHash } from 'node:crypto';
import type { JournalEntry } from '../core/journal.ts';
import { canonicalJson } from '../core/wire.ts';
import type { DerivedStore } from '../journal/derived.ts';
import { crystallise, type IncidentSummary } from './crystallise.ts';
import { contributionOf } from './fold.ts';
import { InsightTable } from './insight_table.ts';
import { type EventNode, eventId, hubType } from './node.ts';

const CACHED_MAX = 4_000;
const CONCEPT_PREFIX = 'concept:';
/** Texts of these are searched; those of incidents are made when they close. */
const SEARCHED: ReadonlySet<string> = new Set(['question', 'answer', 'dialogue_turn']);

/** Channels, group, engine: what the incident concerns. */
interface Places {
  readonly places: readonly string[];
}

export class Graph {
  readonly store: DerivedStore;
  readonly insights: InsightTable;
  /** What `root` would find, remembered. */
  readonly #roots = new Map<string, number>();
  readonly #hubs = new Set<string>();

  constructor(store: DerivedStore) {
    this.store = store;
    this.insights = new InsightTable(store);
  }

  /** Adds what these entries say and moves the cursor to the last of them, in one transaction. Oldest first. */
  take(entries: readonly JournalEntry[], throughSeq: number): void {
    this.store.advance(throughSeq, () => {
      for (const entry of entries) this.#takeOne(entry);
    });
  }

  /**
   * Forgets islands that begin before `firstSeq`, at most about `rowsMax` rows a call; true while there may be more.
   * Active insights stay; archived ones go, their strength is added to those they were merged into.
   */
  prune(firstSeq: number, rowsMax: number): boolean {
    let changed = 0;
    this.store.advance(this.store.cursor(), () => {
      const { store } = this;
      for (const { seq } of store.all(
        'SELECT seq FROM node WHERE root < ? ORDER BY root, seq LIMIT ?',
        firstSeq,
        rowsMax,
      )) {
        store.run('DELETE FROM doc WHERE rowid = ?', Number(seq));
        changed += store.run('DELETE FROM node WHERE seq = ?', Number(seq));
      }
      const edges = store.all('SELECT hub, src, edge FROM edge WHERE root < ? LIMIT ?', firstSeq, rowsMax);
      for (const { hub, src, edge } of edges) {
        changed += store.run(
          'DELETE FROM edge WHERE hub = ? AND src = ? AND edge = ?',
          String(hub),
          Number(src),
          String(edge),
        );
        this.#forgetHubWithoutEdges(String(hub));
      }
      changed += this.insights.pruneArchived(firstSeq, rowsMax);
    });
    this.#roots.clear();
    return changed > 0;
  }

  /**
   * The journal is another one than was read, and ends with `highestSeq`: forgets everything but the insights, at most
   * about `rowsMax` rows a call. True while there is more; then the cursor stands before the first entry. Insights of
   * entries that this journal does not have count as born at its end: else none of them were merged for as long as it
   * is shorter.
   */
  startOver(highestSeq: number, rowsMax: number): boolean {
    const { store } = this;
    let changed = 0;
    store.advance(store.cursor(), () => {
      for (const { seq } of store.all('SELECT seq FROM node LIMIT ?', rowsMax)) {
        store.run('DELETE FROM doc WHERE rowid = ?', Number(seq));
        changed += store.run('DELETE FROM node WHERE seq = ?', Number(seq));
      }
      const edges = '(hub, src, edge) IN (SELECT hub, src, edge FROM edge LIMIT ?)';
      changed += store.run(`DELETE FROM edge WHERE ${edges}`, rowsMax);
      changed += store.run('DELETE FROM hub WHERE id IN (SELECT id FROM hub LIMIT ?)', rowsMax);
    });
    this.#roots.clear();
    this.#hubs.clear();
    if (changed > 0) return true;
    store.advance(0, () => this.insights.bornBy(highestSeq));
    return false;
  }

  /** Over every node, edge and insight: equal for equal graphs, however they were built. */
  hash(): string {
    const hash = createHash('sha256');
    const add = (sql: string, step: (last: readonly (string | number)[]) => readonly (string | number)[]) => {
      let last = step([]);
      for (;;) {
        const rows = this.store.all(sql, ...last);
        for (const row of rows) hash.update(canonicalJson(row));
        const end = rows.at(-1);
        if (end === undefined) return;
        last = step(Object.values(end) as (string | number)[]);
      }
    };
    add('SELECT * FROM node WHERE seq > ? ORDER BY seq LIMIT 5000', (row) => [row[0] ?? -1]);
    add(
      'SELECT * FROM edge WHERE (hub, src, edge) > (?, ?, ?) ORDER BY hub, src, edge LIMIT 5000',
      ([hub = '', src = -1, edge = '']) => [hub, src, edge],
    );
    add(
      `SELECT id, a, b, subject, verdict, text, strength, state, born, at, origin, merged_into, worded_by
       FROM insight WHERE id > ? ORDER BY id LIMIT 5000`,
      (row) => [row[0] ?? ''],
    );
    return hash.digest('hex');
  }

  #takeOne(entry: JournalEntry): void {
    const { fact, seq, at } = entry;
    if (fact.type === 'insight.merged') return this.insights.merge(fact, { bornSeq: seq, at });
    if (fact.type === 'insight.worded') return this.insights.reword(fact);
    const contribution = contributionOf(entry);
    const node = contribution?.node;
    if (contribution === undefined || node === undefined) return;
    const root = node.opensIsland || node.island === undefined ? seq : this.#rootOf(node.island);
    // Its beginning is not in the journal any more: half an island would say what is not so.
    if (root === undefined) return;
    if (node.opensIsland) this.#remember(node.id, seq);
    this.#insert(node, root);
    for (const { hub, edge, own } of contribution.links) this.#link({ hub, edge, src: own ? seq : root, root });
    if (contribution.closes !== undefined) this.#close(root, entry);
  }

  #insert({ seq, at, type, id, opensIsland, run, label, attributes }: EventNode, root: number): void {
    const name = opensIsland || id !== eventId(type, seq) ? id : null;
    this.store.run(
      'INSERT OR IGNORE INTO node VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[seq, at, type, name, root, run ?? null, label, JSON.stringify(attributes)],
    );
    if (SEARCHED.has(type)) this.store.run('INSERT OR REPLACE INTO doc (rowid, body) VALUES (?, ?)', seq, label);
  }

  #link({ hub, src, edge, root }: { hub: string; src: number; edge: string; root: number }): void {
    this.store.run('INSERT OR IGNORE INTO edge VALUES (?, ?, ?, ?)', hub, src, edge, root);
    if (this.#hubs.has(hub)) return;
    if (this.#hubs.size >= CACHED_MAX) this.#hubs.clear();
    this.#hubs.add(hub);
    this.store.run('INSERT OR IGNORE INTO hub VALUES (?, ?)', hub, hubType(hub) ?? 'concept');
  }

  /** The incident becomes searchable, and a weak insight. */
  #close(root: number, { seq, at }: JournalEntry): void {
    const summary = this.#summaryOf(root, seq, at);
    if (summary === undefined) return;
    const { failureClass, concepts, verifications, ending, places } = summary;
    const done = verifications.map(({ tool, cured }) => `${tool} ${cured ? 'cured' : 'not_cured'}`);
    const plain = concepts.map((concept) => concept.slice(concept.indexOf(':') + 1));
    const body = [failureClass, ...plain, ...places, ...done, ending].join(' ');
    this.store.run('INSERT OR REPLACE INTO doc (rowid, body) VALUES (?, ?)', root, body);
    this.insights.add(crystallise(summary));
  }

  #summaryOf(root: number, seq: number, at: number): (IncidentSummary & Places) | undefined {
    const rows = this.store.all('SELECT type, name, attributes FROM node WHERE root = ? ORDER BY seq', root);
    const nodes = rows.map(({ type, name, attributes }) => ({
      type: String(type),
      name: String(name),
      attributes: JSON.parse(String(attributes)) as Record<string, unknown>,
    }));
    const [first] = nodes;
    if (first?.type !== 'incident') return undefined;
    const classes = nodes.filter(({ type }) => type === 'envelope').map(({ attributes }) => String(attributes.class));
    const edges = this.store.all('SELECT hub FROM edge WHERE root = ? AND src = ? ORDER BY hub', root, root);
    const hubs = edges.map(({ hub }) => String(hub));
    return {
      ...{ id: first.name, seq, at },
      failureClass: classes.findLast((each) => each !== 'none') ?? String(first.attributes.class),
      concepts: hubs.filter((hub) => hub.startsWith(CONCEPT_PREFIX)).map((hub) => hub.slice(CONCEPT_PREFIX.length)),
      places: hubs.filter((hub) => !hub.startsWith(CONCEPT_PREFIX)),
      verifications: nodes
        .filter(({ type }) => type === 'verification')
        .map(({ attributes }) => ({ tool: String(attributes.tool), cured: attributes.cured === true })),
      ending: String(nodes.at(-1)?.attributes.ending),
    };
  }

  #rootOf(island: string): number | undefined {
    const known = this.#roots.get(island);
    if (known !== undefined) return known;
    const row = this.store.get('SELECT seq FROM node WHERE name = ? AND seq = root ORDER BY seq DESC LIMIT 1', island);
    if (row === undefined) return undefined;
    this.#remember(island, Number(row.seq));
    return Number(row.seq);
  }

  #remember(island: string, seq: number): void {
    if (this.#roots.size >= CACHED_MAX) this.#roots.clear();
    this.#roots.set(island, seq);
  }

  #forgetHubWithoutEdges(hub: string): void {
    const sql = 'DELETE FROM hub WHERE id = ? AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.hub = hub.id)';
    if (this.store.run(sql, hub) > 0) this.#hubs.delete(hub);
  }
}
