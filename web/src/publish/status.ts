/** The look of a submission's status; the words beside it say the same. */
export const statusTone: Record<string, string> = { pending: 'accent', approved: 'good', rejected: 'bad', withdrawn: '', replaced: '' };
