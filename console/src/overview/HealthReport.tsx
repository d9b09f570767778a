import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlineOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import { Box, Typography } from '@mui/material';
import type { Finding } from '../../../src/main/doctor/finding.ts';
import { humanizeName } from '../text/presentation.ts';
import { timeAgo } from '../text/time-ago.ts';
import { translate } from '../text/translate.ts';
import { Line, MutedText, Section } from '../widgets/Section.tsx';
import { useDiagnosis, useHealth } from './useOverview.ts';

const icons = { ok: CheckIcon, notice: InfoIcon, error: ErrorIcon };
const colours = { ok: 'success', notice: 'warning', error: 'error' } as const;
const labels = { ok: 'OK', notice: 'Worth a look', error: 'Error' };

/** The health of the parts, the running versions, and the problems that `gatehouse doctor` would report. */
export function HealthReport() {
  const health = useHealth();
  const diagnosis = useDiagnosis();
  const parts = Object.entries(health.data?.checks ?? {}).map(
    ([part, state]): Finding => ({ part, state: state === 'ok' ? 'ok' : 'error', summary: state }),
  );
  const problems = diagnosis.data?.findings.filter(({ state }) => state !== 'ok') ?? [];
  return (
    <>
      <Section title={translate('Health')}>
        {health.error && (
          <MutedText>{translate('The service does not respond: {reason}', { reason: health.error.message })}</MutedText>
        )}
        <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 1, px: 2, pb: 2 }}>
          {parts.map(({ part, state }) => (
            <Box key={part} sx={{ display: 'flex', gap: 0.5, alignItems: 'center' }}>
              <Mark state={state} />
              <Typography variant="body2">{translate(humanizeName(part))}</Typography>
            </Box>
          ))}
        </Box>
        {diagnosis.data && (
          <MutedText>
            {translate('Gatehouse {version} on Node {node}, {database}. Started {when}.', {
              version: diagnosis.data.version,
              node: diagnosis.data.node,
              database: databases.get(diagnosis.data.database),
              when: timeAgo(diagnosis.data.started_at),
            })}
          </MutedText>
        )}
      </Section>
      <Section title={translate('Needs attention')}>
        {diagnosis.error && (
          <MutedText>{translate('This cannot be shown: {reason}', { reason: diagnosis.error.message })}</MutedText>
        )}
        {diagnosis.data && problems.length === 0 && (
          <MutedText>{translate('Nothing: settings, database, keys and email are in order.')}</MutedText>
        )}
        <ul className="lines">
          {problems.map((finding) => (
            <Problem key={`${finding.part}: ${finding.summary}`} finding={finding} />
          ))}
        </ul>
      </Section>
    </>
  );
}

const databases = new Map([
  ['sqlite', 'SQLite'],
  ['postgres', 'PostgreSQL'],
]);

function Mark({ state }: { state: Finding['state'] }) {
  const Icon = icons[state];
  return <Icon color={colours[state]} fontSize="small" titleAccess={translate(labels[state])} />;
}

function Problem({ finding: { part, state, message, ...english } }: { finding: Finding }) {
  const summary = message ? translate(message.summary, message.values) : english.summary;
  const fix = message ? translate(message.fix, message.values) : english.fix;
  const title = translate('{part}: {what}', { part: translate(humanizeName(part)), what: summary });
  return <Line icon={<Mark state={state} />} title={title} text={fix} />;
}
