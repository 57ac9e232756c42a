import { t } from '../lib/i18n.svelte';
import { toast } from '../lib/toasts.svelte';
import type { ImportDraft } from '../lib/types';
import { importOperation, publishing } from './publishing.svelte';
import { uploads, type Upload } from './upload.svelte';

export const importEndings = ['.zip', '.json', '.png', '.charx', '.md'];

/** Send a setup; when it is read, its review opens by itself, wherever the member is by then. */
export function startImport(file: File): Upload {
  return uploads.add({
    kind: 'import',
    name: file.name,
    blob: file,
    path: '/api/member/profile-pack/imports',
    operation: importOperation,
    field: 'content_base64',
    fields: { filename: file.name },
    ondone: (draft: ImportDraft) => {
      publishing.changed();
      const busyElsewhere = !publishing.importing && document.querySelector('dialog[open]') !== null;
      if (busyElsewhere) toast(t('import.ready', { name: file.name }), { action: { label: t('import.review'), run: () => publishing.review(draft.import_id, draft) } });
      else publishing.review(draft.import_id, draft);
    },
  });
}
