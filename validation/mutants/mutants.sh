#!/bin/sh
# mutants.sh MODULE PATTERN MUTANTS-A-CLASS OUT TEST-CLASS...   see README.md
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
module=$1 pattern=$2 most=$3 out=$(realpath "$4")
shift 4
# The versions that the build names, as the mutation profile has fetched them.
version() { sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" "$root/pom.xml" | head -n 1; }
repository=${MAVEN_REPOSITORY:-$HOME/.m2/repository}
jars() { find "$repository/$1" -name "*-$2.jar" | tr '\n' ':'; }
path=$here/../target/mutants:$(jars org/pitest "$(version pitest.version)")
junit=$(version junit.version)
path=$path$(jars org/junit/jupiter "$junit")$(jars org/junit/platform "1.${junit#*.}" | tr ':' '\n' \
    | grep -v standalone | tr '\n' ':')$(jars net/jqwik "$(version jqwik.version)")
for artifact in org/opentest4j/opentest4j org/apiguardian org/apache/commons/commons-text org/apache/commons/commons-lang3; do
    path=$path$(find "$repository/$artifact" -name '*.jar' | sort | tail -n 1):
done
for m in validation fixtures estimator/app executor estimator/advisor estimator/engine estimator/model allocator-sim; do
    path=$path$root/$m/target/test-classes:$root/$m/target/classes:
done
path=$path$(find "$root/validation/target/lib" -name '*.jar' | grep -v SNAPSHOT | tr '\n' ':')
mkdir -p "$here/../target/mutants"
javac -nowarn -d "$here/../target/mutants" -cp "$path" "$here"/*.java 2>&1 | grep -v '^Note' || true
printf 'Premain-Class: Mutants\nCan-Redefine-Classes: true\n' > "$here/../target/mutants/manifest.txt"
jar cfm "$here/../target/mutants.jar" "$here/../target/mutants/manifest.txt" -C "$here/../target/mutants" .
tests=
for t in "$@"; do tests="$tests dev.headroom.$t"; done
cd "$root/$module"
# shellcheck disable=SC2086
exec java -Xmx1300m -XX:+UseSerialGC -Dheadroom.fixtures="$root/fixtures" \
    -javaagent:"$here/../target/mutants.jar=dev\.headroom\.$pattern" -cp "$path" \
    Mutants "$root/$module/target/classes" "dev\.headroom\.$pattern" "$most" "$out" $tests
