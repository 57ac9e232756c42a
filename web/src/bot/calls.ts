import { callOutside, type OutsideCall } from '../lib/outside';

/** What went wrong with a bot, each with a sentence of its own. */
export type BotProblem = 'no_key' | 'mixed' | 'unreachable' | 'slow' | 'key' | 'scope' | 'older' | 'nonsense' | 'refused' | 'no_setting';

/** A call of the bot that failed. `detail` is the scope that is missing, or the bot's own words; it never holds the key. */
export class BotFault extends Error {
  constructor(
    readonly problem: BotProblem,
    readonly detail = '',
  ) {
    super(problem);
  }
}

export interface Reply {
  status: number;
  text: string;
}
export type Call = (call: OutsideCall, patience: number) => Promise<Reply>;

/** Makes one call and gathers its answer. Throws when none comes; a browser does not tell whether the bot is away or allows no pages. */
export const callOnce: Call = (call, patience) =>
  new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    let over = false;
    let stop = () => {};
    const end = (settle: () => void) => {
      clearTimeout(timer);
      over = true;
      stop();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new BotFault('slow'))), patience);
    void callOutside(call, (news) => {
      if ('failed' in news) end(() => reject(new BotFault(news.failed === 'too_long' ? 'nonsense' : 'unreachable')));
      else if ('status' in news) status = news.status;
      else if ('text' in news) text += news.text;
      else end(() => resolve({ status, text }));
    }).then((leave) => {
      stop = leave;
      if (over) leave();
    });
  });
