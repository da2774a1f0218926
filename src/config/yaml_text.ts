/** Values as YAML text, the way the files of this project are written. */
import { stringify } from 'yaml';

/** YAML 1.2 that `parseYaml` reads back as the same value. Members that are undefined are left out. */
export const yamlText = (value: unknown): string => stringify(value, { lineWidth: 110, aliasDuplicateObjects: false });
