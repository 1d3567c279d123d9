@echo off
rem Runs Maven for this project: mvnw verify
rem
rem Fetches the pinned Maven once, checks it and keeps it under %USERPROFILE%\.m2. Where it cannot be downloaded, an
rem installed mvn that is new enough does. The twin of mvnw: keep the two alike.
rem
rem   MVNW_REPOURL     base address of a Maven repository to use instead of Maven Central
rem   MAVEN_USER_HOME  where Maven is kept, instead of %USERPROFILE%\.m2

setlocal DisableDelayedExpansion
set "MVNW_VERSION=3.9.16"
set "MVNW_SHA512=ed41650d42485cfc243fad22158caf9cbb5dc408ce7a09ddb94dd42a019de929ca43065bfa450612cf12bf78b5cafa3884b96c090de326ff590448c933454af3"
rem of an installed Maven: what Spring Boot 4 asks for
set "MVNW_OLDEST=3.6.3"

set "MVNW_GROUP=org.apache.maven"
set "MVNW_NAME=apache-maven-%MVNW_VERSION%"
set "MVNW_HOME=%MAVEN_USER_HOME%"
if not defined MVNW_HOME set "MVNW_HOME=%USERPROFILE%\.m2"
set "MVNW_DIST=%MVNW_HOME%\wrapper\dists\%MVNW_NAME%\%MVNW_SHA512:~0,16%"
set "MVNW_MVN=%MVNW_DIST%\%MVNW_NAME%\bin\mvn.cmd"

rem Called from elsewhere, it still builds this project: of several -f Maven takes the first, so the caller's wins.
set "MVNW_PROJECT="
if /i not "%CD%\"=="%~dp0" set MVNW_PROJECT=-f "%~dp0pom.xml"

if exist "%MVNW_MVN%" goto run
call :install
if errorlevel 2 goto installed
if errorlevel 1 exit /b 1

:run
rem Without "call", which would change the arguments: Maven's own script takes over and its exit status is ours.
"%MVNW_MVN%" %* %MVNW_PROJECT%

:installed
where mvn >nul 2>nul
if errorlevel 1 (
  >&2 echo mvnw: no mvn is installed either: set MVNW_REPOURL to a mirror, or install Maven %MVNW_OLDEST% or newer
  exit /b 1
)
set "MVNW_FOUND=0.0"
for /f "tokens=3" %%v in ('mvn -B -v ^| findstr /c:"Apache Maven"') do set "MVNW_FOUND=%%v"
powershell -NoProfile -Command "if ([version]($env:MVNW_FOUND -replace '-.*') -lt [version]$env:MVNW_OLDEST) { exit 1 }"
if errorlevel 1 (
  >&2 echo mvnw: the installed mvn is %MVNW_FOUND%, and %MVNW_OLDEST% or newer is needed
  exit /b 1
)
>&2 echo mvnw: using the installed Maven %MVNW_FOUND%
mvn %* %MVNW_PROJECT%

rem Ends with 2 if Maven cannot be had, with 1 if what was had is not what is pinned.
:install
setlocal
rem A newer PowerShell that started us would hand its own modules to Windows PowerShell.
set "PSModulePath="
rem Maven Central's host is "repo" and Maven's own group id, read from the right.
if not defined MVNW_REPOURL for /f "tokens=1-3 delims=." %%a in ("%MVNW_GROUP%") do set "MVNW_REPOURL=https://repo.%%c.%%b.%%a/maven2"
if "%MVNW_REPOURL:~-1%"=="/" set "MVNW_REPOURL=%MVNW_REPOURL:~0,-1%"
set "MVNW_URL=%MVNW_REPOURL%/%MVNW_GROUP:.=/%/apache-maven/%MVNW_VERSION%/%MVNW_NAME%-bin.zip"
set "MVNW_TMP=%MVNW_DIST%\tmp.%RANDOM%%RANDOM%"
set "MVNW_ZIP=%MVNW_TMP%\maven.zip"
mkdir "%MVNW_TMP%" || exit /b 2

>&2 echo mvnw: downloading Maven %MVNW_VERSION%
powershell -NoProfile -Command "$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue'; [Net.ServicePointManager]::SecurityProtocol = 'Tls12'; Invoke-WebRequest -UseBasicParsing -Uri $env:MVNW_URL -OutFile $env:MVNW_ZIP"
if errorlevel 1 (
  >&2 echo mvnw: cannot download "%MVNW_URL%"
  rmdir /s /q "%MVNW_TMP%"
  exit /b 2
)
powershell -NoProfile -Command "$ErrorActionPreference = 'Stop'; $actual = (Get-FileHash -Algorithm SHA512 -LiteralPath $env:MVNW_ZIP).Hash; if ($actual -ne $env:MVNW_SHA512) { [Console]::Error.WriteLine('mvnw: expected ' + $env:MVNW_SHA512 + ', actual ' + $actual); exit 1 }"
if errorlevel 1 (
  >&2 echo mvnw: refused: the SHA-512 of "%MVNW_URL%" is not the pinned one
  rmdir /s /q "%MVNW_TMP%"
  exit /b 1
)
powershell -NoProfile -Command "$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue'; Expand-Archive -LiteralPath $env:MVNW_ZIP -DestinationPath $env:MVNW_TMP"
rem One rename, which fails if another run was first; then that run's Maven is as good.
move "%MVNW_TMP%\%MVNW_NAME%" "%MVNW_DIST%" >nul 2>nul
rmdir /s /q "%MVNW_TMP%"
if not exist "%MVNW_MVN%" exit /b 2
exit /b 0
