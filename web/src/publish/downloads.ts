import { api, unwrapFile } from '../lib/api';
import { saveFile } from '../lib/save';
import { session } from '../lib/session.svelte';
import type { Kind } from '../lib/types';

export const downloadOperation: Record<Kind, string> = {
  template: 'member.submissions.package.download',
  profile_pack: 'member.profile_pack.submissions.export.download',
};

/** The package of one of the member's submissions, into the browser's downloads. */
export async function downloadSubmission(kind: Kind, submission_id: string): Promise<void> {
  const params = { query: { submission_id } };
  const file = await session.run(downloadOperation[kind], () =>
    unwrapFile(
      kind === 'template'
        ? api.GET('/api/member/submissions/package/download', { params, parseAs: 'blob' })
        : api.GET('/api/member/profile-pack/submissions/export/download', { params, parseAs: 'blob' }),
    ),
  );
  if (file) saveFile(file.blob, file.filename);
}
