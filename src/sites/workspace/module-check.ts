/** Whether a module that a file of the workspace imports is another one, which asks about those who call it. */
import type { ModuleCheck } from '../resolve/callers-elsewhere.ts';
import type { Language } from '../syntax/language.ts';
import { isForeignModule, moduleFile, namesOfPaths } from './modules.ts';

/** Two files of a workspace, of which one may call what is in the other. */
export interface Asking {
  /** Whose text is looked at. */
  readonly file: string;
  /** Whose functions may be called there. */
  readonly asker: string;
  /** Every source file of the workspace. */
  readonly files: ReadonlySet<string>;
}

/** Names in the workspaces that are looked at, since there may be thousands of files. */
const NAMES = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

export function moduleCheck({ file, asker, files }: Asking, language: Language): ModuleCheck {
  return (module) => {
    const found = moduleFile(file, module, language, files);
    if (found === asker) return 'surely';
    return found === undefined && isForeignModule(module, language, namesOf(files)) ? 'not' : 'perhaps';
  };
}

function namesOf(files: ReadonlySet<string>): ReadonlySet<string> {
  let names = NAMES.get(files);
  if (!names) {
    names = namesOfPaths(files);
    NAMES.set(files, names);
  }
  return names;
}
