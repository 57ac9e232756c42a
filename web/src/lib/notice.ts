/** Stands between what the server says about a decision and the reviewer's own words. */
export const reviewerMark = ' The reviewer says: ';

/** The reviewer's words in a notification, in the language they were written in; empty where there are none. */
export function reviewerSays(message: string): string {
  const at = message.indexOf(reviewerMark);
  return at < 0 ? '' : message.slice(at + reviewerMark.length);
}
