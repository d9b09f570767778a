import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlineOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import { Box, Typography } from '@mui/material';
import { ago } from '../text/ago.ts';
import { humanised } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { Quiet, Section } from '../widgets/Section.tsx';
import { type Finding, useDiagnosis, useHealth } from './useOverview.ts';

const icons = { ok: CheckIcon, notice: InfoIcon, error: ErrorIcon };
const colours = { ok: 'success', notice: 'warning', error: 'error' } as const;
const labels = { ok: 'OK', notice: 'Worth a look', error: 'Error' };

/** The health of the parts, the running versions, and the problems that `gatehouse doctor` would report. */
export function Parts() {
  const health = useHealth();
  const diagnosis = useDiagnosis();
  const parts = Object.entries(health.data?.checks ?? {}).map(
    ([part, state]): Finding => ({ part, state: state === 'ok' ? 'ok' : 'error', summary: state }),
  );
  const problems = diagnosis.data?.findings.filter(({ state }) => state !== 'ok') ?? [];
  return (
    <>
      <Section title={say('Health')}>
        {health.error && (
          <Quiet>{say('The service does not respond: {reason}', { reason: health.error.message })}</Quiet>
        )}
        <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 1, px: 2, pb: 2 }}>
          {parts.map(({ part, state }) => (
            <Box key={part} sx={{ display: 'flex', gap: 0.5, alignItems: 'center' }}>
              <Mark state={state} />
              <Typography variant="body2">{say(humanised(part))}</Typography>
            </Box>
          ))}
        </Box>
        {diagnosis.data && (
          <Quiet>
            {say('Gatehouse {version} on Node {node}, {database}. Started {when}.', {
              version: diagnosis.data.version,
              node: diagnosis.data.node,
              database: databases.get(diagnosis.data.database),
              when: ago(diagnosis.data.started_at),
            })}
          </Quiet>
        )}
      </Section>
      <Section title={say('Needs attention')}>
        {diagnosis.error && <Quiet>{say('This cannot be shown: {reason}', { reason: diagnosis.error.message })}</Quiet>}
        {diagnosis.data && problems.length === 0 && (
          <Quiet>{say('Nothing: settings, database, keys and email are in order.')}</Quiet>
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
  return <Icon color={colours[state]} fontSize="small" titleAccess={say(labels[state])} />;
}

function Problem({ finding: { part, state, message, ...english } }: { finding: Finding }) {
  const summary = message ? say(message.summary, message.values) : english.summary;
  const fix = message ? say(message.fix, message.values) : english.fix;
  return (
    <Box component="li" sx={{ display: 'flex', gap: 1 }}>
      <Mark state={state} />
      <Box sx={{ minWidth: 0 }}>
        <Typography variant="body2">{say('{part}: {what}', { part: say(humanised(part)), what: summary })}</Typography>
        {fix && (
          <Typography variant="caption" color="textSecondary" component="p">
            {fix}
          </Typography>
        )}
      </Box>
    </Box>
  );
}
