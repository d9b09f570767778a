import type { Config } from '../../src/config/config.ts';
import { checkDelivery } from '../../src/identity/mail/mail.ts';
import { errorFinding, explain, type Finding, notice, ok } from '../../src/main/finding.ts';

export async function checkMail({ smtpUrl, dataDir }: Config): Promise<Finding> {
  if (!smtpUrl)
    return notice('mail', 'no SMTP_URL: email is written to {dir}/mail', 'Set SMTP_URL to a mail server.', {
      dir: dataDir,
    });
  try {
    await checkDelivery(smtpUrl);
    return ok('mail', 'the mail server accepts the login');
  } catch (error) {
    return errorFinding('mail', '{reason}', 'Check SMTP_URL: host, port, user, password, and smtp or smtps.', {
      reason: explain(error),
    });
  }
}
