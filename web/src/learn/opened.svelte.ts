/** The note that is open, for the heading of the page. */
class Opened {
  title = $state('');
}

export const opened = new Opened();
