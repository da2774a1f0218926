import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of an engine with these files. */
export function aLibraryFolder(files: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-library-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

/** The example of the seed, to the letter. */
export const RENAME = `name: module_path_rename
collection: dep_resolution
description: >
  Module had a URL rename. Build fails because the required
  path doesn't match the module's declared path.
tags: [go, dep_resolution, rename, manual]

when:
  - fact: problem_type
    equals: dep_resolution
  - fact: stderr
    regex: 'declares its path as: (?P<new_path>\\S+)\\s+but was required as: (?P<old_path>\\S+)'
    examples:
      - |
        github.com/imdario/mergo@v1.0.2: parsing go.mod:
              module declares its path as: dario.cat/mergo
              but was required as: github.com/imdario/mergo

then:
  - action: fix_path_rename
    params:
      new_path: "{new_path}"
      old_path: "{old_path}"
`;

export const STDERR = `github.com/golang/lint@v0.0.0: parsing go.mod:
      module declares its path as: golang.org/x/lint
      but was required as: github.com/golang/lint`;

export const CONTEXT = { problem_type: 'dep_resolution', stderr: STDERR, workspace: '/tmp/w' };
export const IN_COLLECTION = { collection: 'dep_resolution' };

/** A rule with one fact and one action. */
export const ruleText = (name: string, about: { fact?: string; action?: string; tags?: string } = {}): string =>
  `name: ${name}
description: ${about.fact ?? name} fails
${about.tags === undefined ? '' : `tags: [${about.tags}]\n`}when:
  - fact: stderr
    contains: ${about.fact ?? name}
then:
  - action: ${about.action ?? `fix_${name}`}
`;

interface Step {
  readonly action: string;
  readonly params?: Record<string, unknown>;
}

/** A rule document with these actions. */
export const withActions = <Rest extends object>(rule: Rest, actions: readonly Step[] | undefined) => ({
  ...rule,
  // biome-ignore lint/suspicious/noThenProperty: a key of rule files
  then: actions === undefined ? undefined : [...actions],
});
