/** Whether the text is a day of the calendar as `YYYY-MM-DD`, from the year 1 on. */
export const isIsoDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !text.startsWith('0000') &&
  !Number.isNaN(Date.parse(text)) &&
  // Some engines read February 30 as March 1.
  new Date(text).toISOString().startsWith(text);
