// The same job by Hyperscan: patterns.tsv (id TAB regex), a log; prints class, channel, count. First pattern wins per line.
// With a third argument, expressions that it refuses are left to its prefilter or left out, and counted on stderr.
#include <hs/hs.h>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

struct Line { size_t start = 0, end = 0; unsigned best = 0; bool open = false; };
struct Job { const char *text; size_t length; Line line; std::vector<std::string> ids; std::map<std::string, long> counts; };

static std::string channelOf(const char *line, size_t length) {
  const char *marks[] = {"/live/", "[channel=", "\"channel\":\""};
  const char *first = nullptr;
  size_t skip = 0;
  for (const char *mark : marks) {
    const char *found = (const char *)memmem(line, length, mark, strlen(mark));
    if (found && (!first || found < first)) { first = found; skip = strlen(mark); }
  }
  if (!first) return "";
  const char *at = first + skip, *end = line + length;
  if (end - at < 3 || at[0] != 'c' || at[1] != 'h') return "";
  const char *to = at + 2;
  while (to < end && *to >= '0' && *to <= '9') to++;
  return std::string(at, to - at);
}

static void close(Job *job) {
  if (!job->line.open) return;
  std::string channel = channelOf(job->text + job->line.start, job->line.end - job->line.start);
  if (!channel.empty()) job->counts[job->ids[job->line.best] + "\t" + channel]++;
  job->line.open = false;
}

static int found(unsigned id, unsigned long long, unsigned long long to, unsigned, void *context) {
  Job *job = (Job *)context;
  if (job->line.open && to <= job->line.end) { if (id < job->line.best) job->line.best = id; return 0; }
  close(job);
  const char *text = job->text;
  const char *start = (const char *)memrchr(text, '\n', to - 1), *end = (const char *)memchr(text + to - 1, '\n', job->length - to + 1);
  job->line = {start ? size_t(start - text) + 1 : 0, end ? size_t(end - text) : job->length, id, true};
  return 0;
}

static bool compiles(const std::string &regex, unsigned flags) {
  hs_database_t *database; hs_compile_error_t *error;
  if (hs_compile(regex.c_str(), flags, HS_MODE_BLOCK, nullptr, &database, &error)) return hs_free_compile_error(error), false;
  return hs_free_database(database), true;
}

int main(int argc, char **argv) {
  Job job;
  std::vector<std::string> regexes;
  std::ifstream patterns(argv[1]);
  for (std::string row; std::getline(patterns, row);) {
    size_t tab = row.find('\t');
    job.ids.push_back(row.substr(0, tab));
    regexes.push_back(row.substr(tab + 1));
  }
  std::vector<const char *> sources;
  std::vector<unsigned> flags, ids;
  size_t prefiltered = 0;
  for (size_t at = 0; at < regexes.size(); at++) {
    unsigned flag = argc <= 3 || compiles(regexes[at], 0) ? 0 : HS_FLAG_PREFILTER;
    if (flag && !compiles(regexes[at], flag)) continue;
    prefiltered += flag != 0;
    sources.push_back(regexes[at].c_str()); flags.push_back(flag); ids.push_back(at);
  }
  if (argc > 3) fprintf(stderr, "%zu expressions, %zu of them prefiltered, %zu left out\n", sources.size(), prefiltered, regexes.size() - sources.size());
  hs_database_t *database; hs_compile_error_t *error; hs_scratch_t *scratch = nullptr;
  if (hs_compile_multi(sources.data(), flags.data(), ids.data(), sources.size(), HS_MODE_BLOCK, nullptr, &database, &error)) return fprintf(stderr, "%s\n", error->message), 1;
  hs_alloc_scratch(database, &scratch);
  FILE *log = fopen(argv[2], "rb");
  clock_t before = clock();
  std::vector<char> buffer(2 << 20);
  for (size_t kept = 0;;) {
    size_t read = fread(buffer.data() + kept, 1, 1 << 20, log), have = kept + read, end = have;
    if (read) { const char *last = (const char *)memrchr(buffer.data(), '\n', have); end = last ? last - buffer.data() + 1 : 0; }
    job.text = buffer.data(); job.length = end;
    if (end) { hs_scan(database, job.text, end, 0, scratch, found, &job); close(&job); }
    memmove(buffer.data(), buffer.data() + end, have - end);
    kept = have - end;
    if (!read) break;
  }
  if (argc > 3) fprintf(stderr, "scanned in %f s of CPU time\n", double(clock() - before) / CLOCKS_PER_SEC);
  for (auto &row : job.counts) printf("%s\t%ld\n", row.first.c_str(), row.second);
}
